{{ config(materialized="ephemeral") }}

select
    cast(null as int) as id,
    cast(null as string) as value
where false
