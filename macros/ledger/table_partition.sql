{% macro table_partition(declared, run_date) %}
    {% do return({
        "source_name": declared.source_name,
        "table_name": declared.table_name,
        "run_date": run_date,
    }) %}
{% endmacro %}
