{% macro table_filter(declared) %}
    {#- The condition that finds a table in the version history, the index or a log. -#}
    {%- do return(
        "source_name = " ~ dms_snapshots.sql_string(declared.source_name) ~ " and table_name = "
        ~ dms_snapshots.sql_string(declared.table_name)
    ) -%}
{% endmacro %}
