{% macro replaced_files_sql(files_sql, declared, head, generation) %}
{#-
    What a full load of this generation leaves out, but should not: files of the one before that are there
    and have not come again, and change files that were written before. Of a full load that was published
    to its last file it is what belongs to segments that have not begun again. Of this generation it is
    what was rolled back.
-#}
{% set published = head.generation if head and not has_no_files(head) else 0 %}
with notes as (

    select * from ({{ files_sql }})
    where
        kind in ('load', 'cdc', 'vanished', 'returned')
        and indexed_at <= {{ run_started() }}
        and {{ is_below_path_sql(declared, "path") }}

),

begun as (

    select collect_set({{ load_place_sql("path") }}) as places
    from notes
    where kind = 'load' and generation = {{ generation }} and {{ begins_a_load_sql("path") }}

),

withheld as (

    {% if head and head.withheld_count %}
    select inline(withheld) as (path, etag)
    from {{ ref("snapshot_versions") }}
    where {{ version_filter(declared, head.version) }}
    {% else %}
    select path, etag from notes
    where false
    {% endif %}

),

applied as (

    {% if published %}
    select distinct inline(files) as (path, etag)
    from {{ ref("snapshot_versions") }}
    where {{ versions_filter(declared, applied_versions(ledger_entries(declared), head.version)) }}
    {% else %}
    select path, etag from notes
    where false
    {% endif %}

),

last_noted as (

    select
        path,
        max_by(kind, if(kind in ('load', 'cdc'), indexed_at, null)) as kind,
        max_by(struct(kind, etag, generation, file_time), indexed_at) as noted
    from notes
    group by path

),

-- The full load that readers have, as it was before another one began.
published_load as (

    select
        path,
        max_by(etag, indexed_at) as etag
    from notes
    where generation = {{ published }}
    group by path
    -- What was never applied and is gone is not missed any more.
    having bool_or(kind = 'load') and max_by(kind, indexed_at) <> 'vanished'

),

oldest_unpublished as (

    select if(count(*) > 0, {{ published }}, {{ published + 1 }}) as generation
    from published_load
    left anti join applied on published_load.path = applied.path and published_load.etag = applied.etag

)

select
    last_noted.path,
    last_noted.kind,
    withheld.path is not null and last_noted.noted.generation = {{ generation }} as is_withheld
from last_noted
cross join oldest_unpublished
cross join begun
left join applied on last_noted.path = applied.path and last_noted.noted.etag = applied.etag
left join withheld on last_noted.path = withheld.path and last_noted.noted.etag = withheld.etag
where
    -- Of what is gone, only what readers had of changes is missed.
    (last_noted.noted.kind <> 'vanished' or last_noted.kind = 'cdc' and applied.path is not null)
    and last_noted.noted.generation >= {{ published }}
    and (
        last_noted.kind = 'load'
        and (
            last_noted.noted.generation < {{ generation }}
            and (
                last_noted.noted.generation >= oldest_unpublished.generation
                or not array_contains(begun.places, {{ load_place_sql("last_noted.path") }})
            )
            or last_noted.noted.generation = {{ generation }} and withheld.path is not null
        )
        or last_noted.kind = 'cdc'
        and last_noted.noted.generation < {{ generation }}
        and last_noted.noted.generation >= oldest_unpublished.generation
        -- Of a load that was not published to its end, what readers had of changes is missing too.
        and (applied.path is null or oldest_unpublished.generation = {{ published }})
        and last_noted.noted.file_time < date_add(date'{{ run_date() }}', 1)
        {% if declared.cdc_start_date %}and last_noted.noted.file_time >= date'{{ declared.cdc_start_date }}'{% endif %}
    )
order by last_noted.path
{% endmacro %}
