{% macro _restored_sql(declared, state, entries, target, action, readmitted=[]) %}
    {#-
        The ledger's row of a version that takes an earlier state again. The files of versions that
        are undone by it are withheld from later runs; those that are applied in the state are not,
        nor those of the versions to be `readmitted`, which later runs take instead.
    -#}
    {% set ledger = ref("snapshot_versions") %}
    {% set now = applied_versions(entries, state.newest) %}
    {% set then = applied_versions(entries, target) %}
    {% set undone = now | reject("in", then) | list %}
with withheld as (

    select inline(withheld) as (path, etag)
    from {{ ledger }}
    where {{ version_filter(declared, state.newest) }}

    union

    select inline(files) as (path, etag)
    from {{ ledger }}
    where {{ versions_filter(declared, undone) }}

),

applied as (

    select inline(files) as (path, etag)
    from {{ ledger }}
    where {{ versions_filter(declared, then) }}

),

taken_again as (

    select inline(files) as (path, etag)
    from {{ ledger }}
    where {{ versions_filter(declared, readmitted) }}

),

readmitted as (

    select collect_set(struct(path, etag)) as readmitted
    from (
        select inline(readmitted) as (path, etag)
        from {{ ledger }}
        where {{ version_filter(declared, state.newest) }}

        union all

        select withheld.*
        from withheld
        left semi join taken_again on withheld.path = taken_again.path and withheld.etag = taken_again.etag
    )

),

still_withheld as (

    select collect_set(struct(withheld.path, withheld.etag)) as withheld
    from withheld
    left anti join applied on withheld.path = applied.path and withheld.etag = applied.etag
    left anti join taken_again on withheld.path = taken_again.path and withheld.etag = taken_again.etag

),

shown as (

    select dates, feed_dates
    from {{ ledger }}
    where {{ version_filter(declared, target) }}

)

select
    {{ sql_string(action) }} as action,
    run_date,
    {{ state.version }} as head_version,
    {{ target }} as restored_version,
    base_version,
    layout,
    generation,
    last_file_seq,
    indexed_from,
    indexed_through,
    slices,
    shown.dates,
    feed_location,
    shown.feed_dates,
    files,
    still_withheld.withheld,
    readmitted.readmitted,
    rows_before,
    rows_inserted,
    rows_updated,
    rows_deleted,
    rows_after,
    {{ run_started() }} as started_at,
    current_timestamp() as finished_at
from {{ ledger }}
cross join still_withheld
cross join readmitted
cross join shown
where {{ version_filter(declared, entries[target].head_version) }}
{% endmacro %}
