{% macro reloads_sql(index, taken_files) %}
{#-
    The tables of which a new full load is not more of the same: of the newest full load a file that was
    ever taken comes again, or a full load begins under another name while all of those are gone. It begins
    with its first file; but a file of a folder or segment of which there was none is not more of the same
    either.
-#}
with new_loads as (

    select
        source_name,
        table_name,
        -- DMS counts the files of each full load from 1.
        bool_or(name_order = 1) as has_first_file,
        collect_set({{ load_place_sql("path") }}) as places
    from dms_differing_files
    where difference = 'load'
    group by source_name, table_name

),

newest_loads as (

    select
        noted.source_name,
        noted.table_name,
        max(noted.generation) as generation,
        any_value(new_loads.has_first_file) as has_first_file,
        any_value(new_loads.places) as new_places
    from {{ index }} as noted
    inner join new_loads
        on noted.source_name = new_loads.source_name and noted.table_name = new_loads.table_name
    group by noted.source_name, noted.table_name

),

-- A full load that was never taken, because it was broken, can be mended without being another.
taken_loads as (

    select
        noted.source_name,
        noted.table_name,
        noted.path,
        any_value(newest_loads.has_first_file) as has_first_file,
        any_value(newest_loads.new_places) as new_places,
        bool_or(taken.is_withheld) as is_withheld
    from {{ index }} as noted
    inner join newest_loads
        on
            noted.source_name = newest_loads.source_name
            and noted.table_name = newest_loads.table_name
            and noted.generation = newest_loads.generation
    inner join ({{ taken_files }}) as taken
        on
            noted.source_name = taken.source_name
            and noted.table_name = taken.table_name
            and noted.path = taken.path
            and noted.etag = taken.etag
    where noted.kind = 'load'
    group by noted.source_name, noted.table_name, noted.path

),

notes as (

    select
        source_name,
        table_name,
        path,
        kind,
        indexed_at
    from {{ index }}

    union all

    select
        source_name,
        table_name,
        path,
        difference as kind,
        {{ run_started() }} as indexed_at
    from dms_differing_files

),

last_notes as (

    select
        taken_loads.source_name,
        taken_loads.table_name,
        taken_loads.is_withheld,
        not taken_loads.has_first_file and array_contains(taken_loads.new_places, {{ load_place_sql("taken_loads.path") }}) as goes_on,
        max_by(notes.kind, notes.indexed_at) as kind,
        max(notes.indexed_at) = {{ run_started() }} as is_new
    from notes
    inner join taken_loads
        on
            notes.source_name = taken_loads.source_name
            and notes.table_name = taken_loads.table_name
            and notes.path = taken_loads.path
    group by
        taken_loads.source_name,
        taken_loads.table_name,
        taken_loads.path,
        taken_loads.is_withheld,
        taken_loads.has_first_file,
        taken_loads.new_places

)

select
    source_name,
    table_name
from last_notes
group by source_name, table_name
having
    bool_or(is_new and kind = 'load')
    -- What was rolled back may lie there still.
    or coalesce(
        bool_and(kind = 'vanished' and not goes_on) filter (where not is_withheld),
        bool_and(kind = 'vanished' and not goes_on)
    )
{% endmacro %}
