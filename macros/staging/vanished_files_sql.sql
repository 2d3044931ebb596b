{% macro vanished_files_sql(files_sql) %}
    {#-
        The files that were indexed and are not there any more. A file counts as replaced if a
        later full load has what it said: it is of an earlier one, or has changes that were written
        and seen before the first file of the newest.
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

newest as (

    select
        full_load.generation,
        min(full_load.modified_at) as started_at,
        min(full_load.indexed_at) as seen_at
    from last_noted
    where full_load is not null
    group by full_load.generation
    order by generation desc
    limit 1

)

select
    last_noted.path,
    last_noted.noted.kind = 'vanished' as is_vanished,
    last_noted.noted.etag,
    last_noted.noted.file_time,
    last_noted.seen_at,
    last_noted.noted.indexed_at as noted_at,
    coalesce(
        last_noted.noted.generation < newest.generation
        or last_noted.noted.file_time is not null
        and last_noted.noted.modified_at < newest.started_at
        and last_noted.seen_at < newest.seen_at,
        false
    ) as is_replaced
from last_noted
left join newest on true
{% endmacro %}
