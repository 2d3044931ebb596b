{% macro history_is_late(declared, plan) %}
    {#- Whether a change of these runs may be older than one that is in the history already. -#}
    {% if not plan.base or not plan.base.generation %}
        {% do return(false) %}
    {% elif declared.order_by != "file" %}
        {% do return(true) %}
    {% endif %}
    {% set first = query_rows(
        "select min(file_seq) as file_seq from " ~ model_relation("dms_staged_files")
        ~ " where source_name = " ~ sql_string(declared.source_name) ~ " and table_name = " ~ sql_string(declared.table_name)
        ~ " and run_date in (date'" ~ plan.runs | map(attribute="run_date") | join("', date'") ~ "')"
        ~ " and generation = " ~ plan.base.generation
    )[0].file_seq %}
    {% do return(first is not none and first <= plan.base.last_file_seq) %}
{% endmacro %}
