{{ config(
    materialized="dms_log",
    partition_by=["source_name", "table_name", "run_date"],
) }}

select
    cast(null as string) as path,
    cast(null as string) as kind,
    cast(null as string) as etag,
    cast(null as int) as generation,
    cast(null as bigint) as file_seq,
    cast(null as timestamp) as indexed_at,
    cast(null as bigint) as row_count,
    cast(null as string) as first_key,
    cast(null as string) as last_key,
    cast(null as string) as problem,
    cast(null as string) as base_version,
    cast(null as string) as source_name,
    cast(null as string) as table_name,
    cast(null as date) as run_date
where false
