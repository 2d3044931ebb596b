{% macro versions_filter(declared, versions) %}
    {%- do return(
        table_filter(declared)
        ~ " and " ~ ("version in (" ~ versions | unique | join(", ") ~ ")" if versions else "false")
    ) -%}
{% endmacro %}
