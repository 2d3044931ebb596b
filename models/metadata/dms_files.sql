{{ config(
    materialized="dms_log",
    meta={"appends": true},
    partition_by=["run_date", "version"],
    pre_hook="{{ dms_listing_view() }}",
) }}

{#- The whole rule of the index is here: which objects are new and which are gone, to which full load
    they belong, and in which order they come. What an object is, the data source has told by its name. -#}

with listed as (

    select * from dms_listing

),

known as (

    {% if load_relation(this) %}
        select * from {{ this }}
    {% else %}
        select
            *,
            0 as generation,
            0 as file_seq,
            {{ run_started() }} as indexed_at
        from listed
        where false
    {% endif %}

),

-- What the index knows of a path: each content it has had, and what was last noted of it.
known_paths as (

    select
        source_name,
        table_name,
        path,
        collect_set(struct(etag, modified_at)) as uploads,
        max_by(struct(kind, file_time, size, etag, modified_at, generation, file_seq), indexed_at) as noted
    from known
    group by source_name, table_name, path

),

-- The listing is read once, so one join tells what is new and what is gone.
compared as (

    select
        listed.kind as listed_kind,
        listed.name_order,
        listed.problem,
        listed.listed_after,
        known_paths.noted.kind as noted_kind,
        known_paths.noted.file_time as noted_file_time,
        known_paths.noted.generation as noted_generation,
        known_paths.noted.file_seq as noted_file_seq,
        coalesce(listed.source_name, known_paths.source_name) as source_name,
        coalesce(listed.table_name, known_paths.table_name) as table_name,
        coalesce(listed.path, known_paths.path) as path,
        coalesce(listed.file_time, known_paths.noted.file_time) as file_time,
        coalesce(listed.size, known_paths.noted.size) as size,
        coalesce(listed.etag, known_paths.noted.etag) as etag,
        coalesce(listed.modified_at, known_paths.noted.modified_at) as modified_at,
        coalesce(exists(known_paths.uploads, upload -> upload.etag = listed.etag), false) as is_known_content,
        -- A full load written again with the same content is a reload all the same.
        coalesce(
            exists(
                known_paths.uploads,
                upload -> upload.etag = listed.etag
                and (listed.kind <> 'load' or upload.modified_at = listed.modified_at)
            ),
            false
        ) as is_known
    from listed
    full outer join known_paths
        on
            listed.source_name = known_paths.source_name
            and listed.table_name = known_paths.table_name
            and listed.path = known_paths.path

),

noted_now as (

    select
        *,
        case
            when listed_kind is null then 'vanished'
            -- One that was taken away and put back is not written anew, whatever its time.
            when noted_kind = 'vanished' and is_known_content then 'returned'
            else listed_kind
        end as kind
    from compared
    where
        case
            when listed_kind is null then noted_kind in ('load', 'cdc', 'returned')
            when noted_kind = 'vanished' and is_known_content then true
            when is_known then false
            when listed_kind = 'cdc' then file_time < date_add(date'{{ run_date() }}', 1)
            else true
        end

),

with_folders as (

    select
        *,
        collect_list(if(kind = 'listed', struct(path as folder, listed_after), null)) over same_table as folders
    from noted_now
    window same_table as (partition by source_name, table_name)

),

-- Gone is only what would have been listed: its folder was, to the end, and from before its name.
new_files as (

    select *
    from with_folders
    where
        kind <> 'listed'
        and (
            kind <> 'vanished'
            or exists(
                folders,
                listing -> startswith(path, listing.folder)
                and (listing.listed_after is null or path > listing.listed_after)
            )
        )

),

known_tables as (

    select
        source_name,
        table_name,
        max(generation) as generation,
        -- The last full load file of the newest generation: the greatest pair.
        max(struct(generation, if(kind = 'load', file_seq, 0) as file_seq)).file_seq as last_load,
        -- When that full load began to be written: the least time of the greatest generation.
        min(if(kind = 'load', struct(-generation as newest_first, modified_at), null)).modified_at
            as last_load_started_at
    from known
    group by source_name, table_name

),

-- A full load that was never staged, because it was broken, can be mended without being another.
known_loads as (

    select distinct
        source_name,
        table_name,
        generation,
        path
    from {{ ref("dms_staged_files") }}
    where kind = 'load'

),

-- A staged name of the newest full load that comes again starts a new generation.
with_reload as (

    select
        new_files.*,
        known_tables.generation as known_generation,
        known_tables.last_load,
        known_tables.last_load_started_at,
        max(known_loads.path is not null) over same_table as is_reload,
        min(if(new_files.kind = 'load', new_files.modified_at, null)) over same_table as load_started_at
    from new_files
    left join known_tables
        on
            new_files.source_name = known_tables.source_name
            and new_files.table_name = known_tables.table_name
    left join known_loads
        on
            new_files.kind = 'load'
            and new_files.source_name = known_loads.source_name
            and new_files.table_name = known_loads.table_name
            and new_files.path = known_loads.path
            and known_tables.generation = known_loads.generation
    window same_table as (partition by new_files.source_name, new_files.table_name)

),

with_generation as (

    select
        *,
        case
            when kind in ('vanished', 'returned') then noted_generation
            when known_generation is null then 1
            -- Changes written before a reload belong to what it replaces, seen with it or later.
            when is_reload and kind = 'cdc' and modified_at < load_started_at then known_generation
            when
                not is_reload and kind = 'cdc' and known_generation > 1 and modified_at < last_load_started_at
                then known_generation - 1
            when not is_reload then known_generation
            else known_generation + 1
        end as generation,
        if(is_reload, 0, coalesce(last_load, 0)) as loads_before
    from with_reload

),

-- The places that change files have, by the time in their names.
taken as (

    select
        source_name,
        table_name,
        file_time,
        collect_set(file_seq) as places
    from known
    where kind = 'cdc'
    group by source_name, table_name, file_time

),

with_place as (

    select
        with_generation.*,
        taken.places,
        coalesce(with_generation.noted_file_time = with_generation.file_time, false) as has_place,
        row_number() over (
            partition by
                with_generation.source_name,
                with_generation.table_name,
                with_generation.kind,
                if(with_generation.kind = 'cdc', with_generation.name_order, null),
                coalesce(with_generation.noted_file_time = with_generation.file_time, false)
            order by with_generation.name_order, with_generation.path
        ) as place
    from with_generation
    left join taken
        on
            with_generation.source_name = taken.source_name
            and with_generation.table_name = taken.table_name
            and with_generation.file_time = taken.file_time

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
        end as file_seq
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
