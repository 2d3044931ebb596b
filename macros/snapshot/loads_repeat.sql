{% macro loads_repeat(changes_sql, declared, plan) %}
    {#- Whether a full load has a key twice (files of two loads in one folder): then the last wins. -#}
    {% if not declared.primary_keys or not plan.staged.load_rows %}
        {% do return(false) %}
    {% endif %}
    {% if query_rows(loads_rise_sql(declared, plan))[0].rise %}
        {% do return(false) %}
    {% endif %}
    {% set counts = query_rows(
        "select count(*) as loaded, count(distinct " ~ column_names(declared.primary_keys) ~ ") as key_count from ("
        ~ changes_sql ~ ") where _dms_is_load and _dms_generation = " ~ plan.staged.generation
        ~ " and _dms_run_date = date'" ~ plan.run_date ~ "'"
    )[0] %}
    {% do return(counts.loaded != counts.key_count) %}
{% endmacro %}
