{% macro newest_rows_filter(model) -%}
    {%- set table = dms_snapshots.tested_table(model) if execute else {} -%}
    {%- if execute and not dms_snapshots.declaration(table.source_name, table.table_name).history -%}
        true
    {%- else -%}
        snapshot_date = {{ dms_snapshots.newest_run_date_sql(model) }}
    {%- endif -%}
{% endmacro %}
