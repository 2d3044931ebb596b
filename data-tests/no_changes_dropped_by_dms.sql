{{ config(severity="warn", enabled=var("dms_control_tables", none) is not none) }}

-- Changes that DMS did not apply, by its control tables. Needs dms_control_tables (docs/how-to/add-a-table.md).
{{ dms_snapshots.dropped_changes_sql() }}
