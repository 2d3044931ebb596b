{% macro version_filter(declared, run_date, version) %}
    {%- do return(
        "source_name = " ~ sql_string(declared.source_name) ~ " and table_name = " ~ sql_string(declared.table_name)
        ~ " and run_date = date'" ~ run_date ~ "' and version = " ~ sql_string(version)
    ) -%}
{% endmacro %}
