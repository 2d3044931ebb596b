{% macro table_filter(declared) %}
    {%- do return(
        "source_name = " ~ dms_snapshots.sql_string(declared.source_name) ~ " and table_name = "
        ~ dms_snapshots.sql_string(declared.table_name)
    ) -%}
{% endmacro %}
