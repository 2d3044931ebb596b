{{ config(materialized="ephemeral") }}

select
    cast(null as int) as id,
    cast(null as string) as value,
    cast(null as string) as _dms_op
where false
