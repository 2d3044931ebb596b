{{ config(
    materialized="dms_log",
    partition_by=["source_name", "table_name", "run_date", "version"],
) }}

select
    cast(null as string) as action,
    cast(null as string) as base_version,
    cast(null as int) as generation,
    cast(null as bigint) as last_file_seq,
    cast(null as timestamp) as indexed_from,
    cast(null as timestamp) as indexed_through,
    cast(null as array<struct<slice: string, location: string>>) as slices,
    cast(null as array<struct<path: string, etag: string>>) as files,
    cast(null as bigint) as rows_before,
    cast(null as bigint) as rows_inserted,
    cast(null as bigint) as rows_updated,
    cast(null as bigint) as rows_deleted,
    cast(null as bigint) as rows_after,
    cast(null as timestamp) as started_at,
    cast(null as timestamp) as finished_at,
    cast(null as string) as source_name,
    cast(null as string) as table_name,
    cast(null as date) as run_date,
    cast(null as string) as version
where false
