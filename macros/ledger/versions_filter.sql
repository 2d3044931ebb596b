{% macro versions_filter(declared, versions) %}
    {%- do return(
        "source_name = " ~ sql_string(declared.source_name) ~ " and table_name = " ~ sql_string(declared.table_name)
        ~ " and " ~ ("version in (" ~ versions | unique | join(", ") ~ ")" if versions else "false")
    ) -%}
{% endmacro %}
