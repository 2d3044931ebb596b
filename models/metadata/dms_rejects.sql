{{ config(
    materialized="dms_log",
    partition_by=["source_name", "table_name", "run_date"],
) }}

select
    cast(null as string) as path,
    cast(null as string) as etag,
    cast(null as bigint) as row_number,
    cast(null as string) as reason,
    cast(null as string) as row_json,
    cast(null as string) as source_name,
    cast(null as string) as table_name,
    cast(null as date) as run_date
where false
