{% macro newest_run_date_sql(model) %}
    {%- set table = tested_table(model) if execute else {} -%}
    (
        select max(run_date)
        from {{ ref("snapshot_versions") }}
        where source_name = '{{ table.source_name }}' and table_name = '{{ table.table_name }}'
    )
{%- endmacro %}
