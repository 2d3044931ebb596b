{% macro write_version(changes_sql, relation, declared, plan) %}
    {#- Writes the newest row of each changed key, then the slices after; returns the version. -#}
    {% set name = relation.identifier %}
    {% set location = plan.root ~ "/" ~ (plan.folder or run_version()) %}
    {% if plan.action == "build" and plan.loads_repeat is not defined %}
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

    {% set base_slices = plan.base.slices if plan.action == "merge" else [] %}
    {% do create_before_view(name ~ "__before", changes_sql, declared, plan, base_slices) %}
    {% set counts = query_rows(change_counts_sql(sql_name(name ~ "__before"), latest, declared)) %}
    {% do refuse_bad_changes(declared, plan, counts, latest) %}
    {% do refuse_lost_files(declared, plan, counts) %}

    {% set untouched = untouched_slices(declared, plan, counts) %}
    {% if untouched %}
        {% set touched = base_slices | reject("in", untouched) | list %}
        {% do create_before_view(name ~ "__before", changes_sql, declared, plan, touched) %}
    {% endif %}
    {% set merged = merge_sql(
        sql_name(name ~ "__before"), latest, declared,
        broadcast=counts | sum(attribute="changed_keys") <= var("broadcast_max_keys", 5000000)
    ) %}
    {% set written = write_slices(relation, declared, location ~ "/rows", merged, rebalance=plan.action == "build") %}
    {% do return(dict(counted_version(declared, plan, counts, untouched + written), changes=changed_keys)) %}
{% endmacro %}
