{% macro vanished_files_sql(files_sql) %}
    {#-
        The files that were indexed and are not there any more. A file counts as replaced if a
        later full load has what it said: it is of an earlier one, or was written before the last.
    -#}
with files as (

    select *
    from ({{ files_sql }})
    where kind in ('load', 'cdc', 'vanished', 'returned')

),

newest as (

    select
        max(generation) as generation,
        max(if(kind = 'load', modified_at, null)) as loaded_at
    from files

),

last_noted as (

    select
        path,
        max_by(struct(kind, etag, generation, file_time, modified_at, indexed_at), indexed_at) as noted
    from files
    group by path

)

select
    last_noted.path,
    last_noted.noted.kind = 'vanished' as is_vanished,
    last_noted.noted.etag,
    last_noted.noted.file_time,
    last_noted.noted.indexed_at as noted_at,
    last_noted.noted.generation < newest.generation
    or last_noted.noted.file_time is not null
    and coalesce(last_noted.noted.modified_at < newest.loaded_at, false) as is_replaced
from last_noted
cross join newest
{% endmacro %}
