{{ config(
    materialized="dms_log",
    partition_by=["since_command"],
) }}

{{ dms_snapshots.no_rows_sql(model.columns.values()) }}
