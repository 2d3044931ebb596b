{% macro write_version(changes_sql, relation, declared, plan) %}
    {#- Writes the newest row of each changed key, then the state after; returns the version. -#}
    {% set name = relation.identifier %}
    {% set location = table_location(relation) ~ "/" ~ run_version() %}
    {% if plan.action == "build" %}
        {% do plan.update({"loads_repeat": loads_repeat(changes_sql, declared, plan)}) %}
    {% endif %}

    {#- Written once, because it is read three times: counted, left out of the old, added to the new. -#}
    {% set changed_keys = location ~ "/changes" %}
    {% call statement("candidates") %}
        create or replace temporary view {{ sql_name(name ~ "__candidates") }} as
        {{ candidate_changes_sql(changes_sql, declared, plan) }}
    {% endcall %}
    {% call statement("changes") %}
        insert overwrite directory {{ sql_string(changed_keys) }} using parquet
        {% if declared.primary_keys -%}
            {{ latest_per_key_sql(sql_name(name ~ "__candidates"), declared) }}
        {%- else -%}
            select {{ column_names(declared.columns) }}, _dms_op, _dms_file_seq, _dms_row
            from {{ sql_name(name ~ "__candidates") }}
        {%- endif %}
    {% endcall %}
    {% set latest = "parquet.`" ~ changed_keys ~ "`" %}

    {% do create_before_view(name ~ "__before", changes_sql, declared, plan) %}
    {% set counts = query_rows(change_counts_sql(sql_name(name ~ "__before"), latest, declared))[0] %}
    {% do refuse_bad_changes(declared, plan, counts, latest) %}

    {% set rows = location ~ "/rows" %}
    {% call statement("rows") %}
        insert overwrite directory {{ sql_string(rows) }} using parquet
        {{ merge_sql(
            sql_name(name ~ "__before"), latest, declared,
            broadcast=counts.changed_keys <= var("broadcast_max_keys", 5000000)
        ) }}
    {% endcall %}
    {% do return(counted_version(declared, plan, counts, [{"slice": none, "location": rows}])) %}
{% endmacro %}
