{% macro _with_staging(declared) %}
    {%- do return(
        "Run what it is made from too: dbt run --select +" ~ declared.table_name ~ "_snapshot"
        ~ (" --full-refresh" if should_full_refresh() else "") ~ given_target() ~ "."
    ) -%}
{% endmacro %}
