{% macro write_feed(relation, declared, plan, version) %}
    {#-
        Writes the changes that a version brings and notes their folder in it. Of a merge all that is
        needed was set aside while the state was written; what is built is compared with what was there.
    -#}
    {% if not declared.change_feed %}
        {% do return(none) %}
    {% endif %}
    {% set before = relation.identifier ~ "__feed_before" %}
    {% set after = relation.identifier ~ "__feed_after" %}
    {% if plan.action == "merge" %}
        {% do create_rows_view(before, declared, plan.root, version.replaced) %}
        {% call statement("after") %}
            create or replace temporary view {{ sql_name(after) }} as
            select {{ column_names(declared.columns) }} from parquet.{{ sql_name(version.changes) }} where _dms_op <> 'D'
        {% endcall %}
    {% else %}
        {% set base = feed_base(declared, plan) %}
        {% do create_rows_view(before, declared, plan.root, base.slices if base else [], written_as=relation, version=base.version if base else none) %}
        {% do refuse_lost_feed_base(relation, declared, plan, base, before) %}
        {% do create_rows_view(after, declared, plan.root, version.slices) %}
    {% endif %}
    {% set location = version.folder ~ "/feed" %}
    {% call statement("feed") %}
        insert overwrite directory {{ sql_string(location) }} using parquet
        {{ feed_sql(sql_name(before), sql_name(after), declared, version.version) }}
    {% endcall %}
    {#- A date that changed nothing has no partition, as on a day without files. -#}
    {% if query_rows("select 1 as found from parquet." ~ sql_name(location) ~ " limit 1") %}
        {% do version.update({"feed_location": location}) %}
    {% endif %}
{% endmacro %}
