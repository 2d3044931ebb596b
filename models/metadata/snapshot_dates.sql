{{ config(
    materialized="dms_log",
    partition_by=["recorded_on", "run"],
) }}

{{ dms_snapshots.no_rows_sql(model.columns.values()) }}
