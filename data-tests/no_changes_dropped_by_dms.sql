{{ config(severity="warn", enabled=var("dms_control_tables", none) is not none) }}

-- Changes that DMS could not apply and tables that it suspended, by its control tables in the folders of the variable `dms_control_tables` (without it there is no such test), of the last `dms_control_days` days (7).
{{ dms_snapshots.dropped_changes_sql() }}
