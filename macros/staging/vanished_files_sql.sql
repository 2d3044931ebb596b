{% macro vanished_files_sql(files_sql) %}
    {#-
        The files that were indexed and are not there any more. A file counts as replaced if a
        later full load has what it said: it is of an earlier one, or has changes that were written
        and seen before the first file of the newest. One that no run took does not make the next an
        other one; its files, and changes before it, count as rewritten if they were gone when a first
        file came, and nothing else of it that was there is left as it was.
    -#}
with last_noted as (

    select
        path,
        min(indexed_at) as seen_at,
        max_by(struct(kind, etag, generation, file_time, modified_at, indexed_at), indexed_at) as noted,
        -- What was put back has a time of its own, but is no full load.
        max_by(struct(generation, modified_at, indexed_at), indexed_at) filter (where kind = 'load') as full_load
    from ({{ files_sql }})
    where kind in ('load', 'cdc', 'vanished', 'returned')
    group by path

),

newest_of_all as (

    select
        full_load.generation,
        min(full_load.modified_at) as started_at,
        min(full_load.indexed_at) as seen_at,
        min(full_load.modified_at) filter (where noted.kind <> 'vanished') as there_started_at,
        min(full_load.indexed_at) filter (where noted.kind <> 'vanished') as there_seen_at,
        min(full_load.indexed_at) filter (where noted.kind <> 'vanished' and {{ begins_a_load_sql("path") }}) as begun_at
    from last_noted
    where full_load is not null
    group by full_load.generation
    order by generation desc
    limit 1

),

newest as (

    select
        generation,
        if(begun_at = there_seen_at, begun_at, null) as begun_at,
        if(begun_at = there_seen_at, there_started_at, started_at) as started_at,
        if(begun_at = there_seen_at, there_seen_at, seen_at) as seen_at
    from newest_of_all

),

compared as (

    select
        last_noted.*,
        coalesce(
            last_noted.noted.kind = 'vanished'
            and last_noted.noted.generation = newest.generation
            and last_noted.noted.indexed_at <= newest.begun_at,
            false
        ) as was_gone_before,
        coalesce(last_noted.full_load.indexed_at < newest.begun_at, false) as was_loaded_before,
        coalesce(
            last_noted.noted.generation < newest.generation
            or last_noted.noted.file_time is not null
            and last_noted.noted.modified_at < newest.started_at
            and last_noted.seen_at < newest.seen_at,
            false
        ) as is_of_earlier_load
    from last_noted
    left join newest on true

)

select
    path,
    noted.kind = 'vanished' as is_vanished,
    noted.etag,
    noted.file_time,
    seen_at,
    noted.indexed_at as noted_at,
    was_gone_before and (was_loaded_before or is_of_earlier_load) as is_rewritten,
    was_gone_before and was_loaded_before or is_of_earlier_load as is_replaced
from compared
{% endmacro %}
