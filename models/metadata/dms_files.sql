{{ config(
    materialized="incremental",
    incremental_strategy="append",
    partition_by=["run_date"],
    full_refresh=false,
    pre_hook="{{ dms_listing_view() }}",
) }}

{#- The whole rule of the index is here: which objects are new, to which full load they belong,
    and in which order they come. What an object is, the data source has told by its name. -#}

with listed as (

    select * from dms_listing

),

known as (

    {% if is_incremental() %}
        select * from {{ this }}
    {% else %}
        select
            *,
            0 as generation,
            0 as file_seq
        from listed
        where false
    {% endif %}

),

new_files as (

    select listed.*
    from listed
    left anti join known
        on
            listed.source_name = known.source_name
            and listed.table_name = known.table_name
            and listed.path = known.path
            and listed.etag = known.etag
            -- A full load written again with the same content is a reload all the same.
            and (listed.kind <> 'load' or listed.modified_at = known.modified_at)
    where listed.kind <> 'cdc' or listed.file_time < date_add(date'{{ run_date() }}', 1)

),

known_generations as (

    select
        source_name,
        table_name,
        max(generation) as generation
    from known
    group by source_name, table_name

),

known_loads as (

    select
        known.source_name,
        known.table_name,
        known.path,
        known.file_seq
    from known
    inner join known_generations
        on
            known.source_name = known_generations.source_name
            and known.table_name = known_generations.table_name
            and known.generation = known_generations.generation
    where known.kind = 'load'

),

-- A known name of the newest full load that comes again starts a new generation.
reloads as (

    select
        new_files.source_name,
        new_files.table_name,
        min(new_files.modified_at) as started_at
    from new_files
    inner join known_loads
        on
            new_files.source_name = known_loads.source_name
            and new_files.table_name = known_loads.table_name
            and new_files.path = known_loads.path
    where new_files.kind = 'load'
    group by new_files.source_name, new_files.table_name

),

last_loads as (

    select
        source_name,
        table_name,
        max(file_seq) as file_seq
    from known_loads
    group by source_name, table_name

),

with_generation as (

    select
        new_files.*,
        case
            when known_generations.generation is null then 1
            when reloads.started_at is null then known_generations.generation
            -- Changes written before the reload belong to what it replaces.
            when
                new_files.kind = 'cdc' and new_files.modified_at < reloads.started_at
                then known_generations.generation
            else known_generations.generation + 1
        end as generation,
        if(reloads.started_at is null, coalesce(last_loads.file_seq, 0), 0) as loads_before
    from new_files
    left join known_generations
        on
            new_files.source_name = known_generations.source_name
            and new_files.table_name = known_generations.table_name
    left join reloads
        on
            new_files.source_name = reloads.source_name
            and new_files.table_name = reloads.table_name
    left join last_loads
        on
            new_files.source_name = last_loads.source_name
            and new_files.table_name = last_loads.table_name

),

-- Full load files count from 1, change files carry their time in nanoseconds: so loads come
-- first, and a file that arrives late still gets the place that its name gives it.
with_order as (

    select
        *,
        case kind
            when 'load' then
                loads_before + row_number() over (
                    partition by source_name, table_name, kind order by name_order, path
                )
            when 'cdc' then
                name_order + row_number() over (
                    partition by source_name, table_name, kind, name_order order by path
                ) - 1
        end as file_seq
    from with_generation

)

select
    source_name,
    table_name,
    path,
    kind,
    file_time,
    size,
    etag,
    modified_at,
    cast(generation as int) as generation,
    cast(file_seq as bigint) as file_seq,
    timestamp'{{ run_started_at.strftime("%Y-%m-%d %H:%M:%S.%f") }}' as indexed_at,
    date'{{ run_date() }}' as run_date
from with_order
