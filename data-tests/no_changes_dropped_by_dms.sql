{{ config(severity="warn", enabled=var("dms_control_tables", none) is not none) }}

-- What DMS could not apply, by its control tables; with dms_control_tables (docs/how-to/add-a-table.md).
{{ dms_snapshots.dropped_changes_sql() }}
