{{ config(materialized="ephemeral") }}

select
    cast(null as int) as id,
    cast(null as string) as value,
    cast(null as string) as _dms_op,
    cast(null as timestamp) as _dms_committed_at,
    cast(null as string) as _dms_change_seq,
    cast(null as int) as _dms_generation,
    cast(null as boolean) as _dms_is_load,
    cast(null as bigint) as _dms_file_seq,
    cast(null as bigint) as _dms_row,
    cast(null as boolean) as _dms_is_key_change,
    cast(null as array<string>) as _dms_absent,
    cast(null as date) as _dms_run_date
where false
