{{ config(
    materialized="dms_log",
    meta={"appends": true},
    partition_by=["run_date", "version"],
    pre_hook=[
        "{{ dms_listing_view() }}",
        "{{ note_differing_files() }}",
        "{{ dms_reloads_view() }}",
    ],
) }}

{#- Said at once, while dbt parses, and not by each table for itself. -#}
{% do refuse_wrong_variables() %}
{% do run_date() %}

{#- What an object is, the data source has told by its name; which ones are new, gone or back, the macro
    differing_files_sql, and whose full load is another one, the macro reloads_sql. The rest of the rule is
    here: to which full load they belong, and in which order they come. -#}

with differing as (

    select * from dms_differing_files

),

known as (

    {% if load_relation(this) %}
        select * from {{ this }}
    {% else %}
        select
            *,
            difference as kind,
            0 as generation,
            0 as file_seq,
            {{ run_started() }} as indexed_at
        from differing
        where false
    {% endif %}

),

tables as (

    select
        source_name,
        table_name,
        collect_set(file_time) as file_times
    from differing
    group by source_name, table_name

),

known_tables as (

    select
        known.source_name,
        known.table_name,
        max(known.generation) as generation,
        -- The last full load file of the newest generation: the greatest pair.
        max(struct(known.generation, if(known.kind = 'load', known.file_seq, 0) as file_seq)).file_seq as last_load,
        -- When that full load began to be written: the least time of the greatest generation.
        min(if(known.kind = 'load', struct(-known.generation as newest_first, known.modified_at), null)).modified_at
            as last_load_started_at,
        -- The places and generations that change files have, of the times that are in names of new ones.
        collect_set(
            if(
                known.kind = 'cdc' and array_contains(tables.file_times, known.file_time),
                struct(known.file_time, known.file_seq, known.generation),
                null
            )
        ) as taken
    from known
    inner join tables
        on
            known.source_name = tables.source_name
            and known.table_name = tables.table_name
    group by known.source_name, known.table_name

),

with_reload as (

    select
        differing.*,
        known_tables.generation as known_generation,
        known_tables.last_load,
        known_tables.last_load_started_at,
        known_tables.taken,
        reloads.table_name is not null as is_reload
    from differing
    left join known_tables
        on
            differing.source_name = known_tables.source_name
            and differing.table_name = known_tables.table_name
    left join dms_reloads as reloads
        on
            differing.source_name = reloads.source_name
            and differing.table_name = reloads.table_name

),

with_kind as (

    select
        *,
        case
            -- What was away and is back as it was is no full load, but for one that a reload has
            -- written anew as it was, while it wrote others of its files differently.
            when
                difference in ('returned', 'returned before')
                and is_written_anew
                and (is_reload or (noted_generation < known_generation and modified_at >= last_load_started_at))
                then 'load'
            else difference
        end as kind
    from with_reload

),

with_load_start as (

    select
        *,
        min(if(kind = 'load', modified_at, null)) over (partition by source_name, table_name) as load_started_at,
        bool_or(kind = 'load' and noted_generation is not null)
            over (partition by source_name, table_name) as has_load_in_place,
        filter(taken, other -> other.file_time = file_time) as same_time
    from with_kind
    where kind <> 'returned before'

),

with_same_time as (

    -- What the index has of the same moment: copies in other folders, or this file before it came again.
    select
        *,
        transform(same_time, other -> other.file_seq) as places,
        array_max(transform(same_time, other -> other.generation)) as copied_generation
    from with_load_start

),

with_generation as (

    select
        *,
        case
            when kind in ('vanished', 'returned') then noted_generation
            -- Uploaded again, it says what it said of the full load that it came with.
            when kind = 'cdc' and noted_generation is not null then noted_generation
            -- Nor does a copy in another folder say more; but it goes with its full load, where that has moved too.
            when
                kind = 'cdc'
                and copied_generation is not null
                and (not is_reload or has_load_in_place or copied_generation < known_generation)
                then copied_generation
            when kind = 'cdc' and copied_generation is not null then known_generation + 1
            when known_generation is null then 1
            -- Changes written before a reload belong to what it replaces, seen with it or later.
            when is_reload and kind = 'cdc' and modified_at < load_started_at then known_generation
            when
                not is_reload and kind = 'cdc' and known_generation > 1 and modified_at < last_load_started_at
                then known_generation - 1
            when not is_reload then known_generation
            else known_generation + 1
        end as generation,
        if(is_reload, 0, coalesce(last_load, 0)) as loads_before,
        coalesce(noted_file_time = file_time, false) as has_place
    from with_same_time

),

with_place as (

    select
        *,
        row_number() over (
            partition by source_name, table_name, kind, if(kind = 'cdc', name_order, null), has_place
            order by name_order, path
        ) as place
    from with_generation

),

-- Full load files count from 1, change files carry their time in nanoseconds: so loads come
-- first, and a file that arrives late still gets the place that its name gives it. Of one name in
-- several folders the file that was seen first comes first, then the path decides.
with_order as (

    select
        *,
        case
            when kind in ('vanished', 'returned') then noted_file_seq
            when kind = 'load' then loads_before + place
            -- Uploaded again, it stays where it was.
            when kind = 'cdc' and has_place then noted_file_seq
            when kind = 'cdc' and array_contains(places, name_order) then array_max(places) + place
            when kind = 'cdc' then name_order + place - 1
        end as file_seq,
        if(kind = 'returned', noted_etag, upload_etag) as etag
    from with_place

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
    problem,
    {{ run_started() }} as indexed_at
from with_order
