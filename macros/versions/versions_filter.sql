{% macro versions_filter(declared, versions) %}
    {%- do return(
        dms_snapshots.table_filter(declared)
        ~ " and " ~ ("version in (" ~ versions | unique | join(", ") ~ ")" if versions else "false")
    ) -%}
{% endmacro %}
