{% macro vanished_files_sql(files_sql) %}
    {#-
        The files that were indexed and are not there any more. A file counts as replaced if a
        later full load has what it said: it is of an earlier one, or has changes that were written
        before the first file of the newest.
    -#}
with last_noted as (

    select
        path,
        max_by(struct(kind, etag, generation, file_time, modified_at, indexed_at), indexed_at) as noted
    from ({{ files_sql }})
    where kind in ('load', 'cdc', 'vanished', 'returned')
    group by path

),

newest as (

    -- Only change files have a time.
    select max(struct(noted.generation, -unix_micros(noted.modified_at) as started)) as full_load
    from last_noted
    where noted.file_time is null

)

select
    last_noted.path,
    last_noted.noted.kind = 'vanished' as is_vanished,
    last_noted.noted.etag,
    last_noted.noted.file_time,
    last_noted.noted.indexed_at as noted_at,
    coalesce(
        last_noted.noted.generation < newest.full_load.generation
        or last_noted.noted.file_time is not null
        and unix_micros(last_noted.noted.modified_at) < -newest.full_load.started,
        false
    ) as is_replaced
from last_noted
cross join newest
{% endmacro %}
