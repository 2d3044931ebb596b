{% macro newest_run_date_sql(model) %}
    {%- set table = dms_snapshots.tested_table(model) if execute else {} -%}
    (
        -- What only adds an earlier date has another current version than itself.
        select max_by(run_date, version)
        from {{ ref("dms_snapshots", "snapshot_versions") }}
        where {{ dms_snapshots.table_filter(table) }} and current_version = version
    )
{%- endmacro %}
