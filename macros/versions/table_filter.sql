{% macro table_filter(declared, alias=none) %}
    {#- The condition that finds a table in the version history, the index or a log. -#}
    {% set of = alias ~ "." if alias else "" %}
    {%- do return(
        of ~ "source_name = " ~ sql_string(declared.source_name)
        ~ " and " ~ of ~ "table_name = " ~ sql_string(declared.table_name)
    ) -%}
{% endmacro %}
