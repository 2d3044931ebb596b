{{ config(
    materialized="dms_log",
    partition_by=["source_name", "table_name", "version"],
) }}

{{ dms_snapshots.no_rows_sql(model.columns.values()) }}
