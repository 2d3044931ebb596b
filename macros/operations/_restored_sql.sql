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
with noted as (

    select
        'withheld' as note,
        inline(withheld) as (path, etag)
    from {{ ledger }}
    where {{ version_filter(declared, state.newest) }}

    union all

    select
        'readmitted' as note,
        inline(readmitted) as (path, etag)
    from {{ ledger }}
    where {{ version_filter(declared, state.newest) }}

    union all

    -- A version is one of the three: where some are readmitted, none is undone.
    select
        case
            when {{ versions_filter(declared, undone) }} then 'withheld'
            when {{ versions_filter(declared, readmitted) }} then 'taken again'
            else 'applied'
        end as note,
        inline(files) as (path, etag)
    from {{ ledger }}
    where {{ versions_filter(declared, undone + then + readmitted) }}

),

by_file as (

    select
        struct(path, etag) as file,
        bool_or(note = 'withheld') as is_withheld,
        bool_or(note = 'readmitted') as is_readmitted,
        bool_or(note = 'applied') as is_applied,
        bool_or(note = 'taken again') as is_taken_again
    from noted
    group by path, etag

),

sorted_out as (

    select
        collect_list(file) filter (where is_withheld and not is_applied and not is_taken_again) as withheld,
        collect_list(file) filter (where is_readmitted or (is_withheld and is_taken_again)) as readmitted
    from by_file

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
    column_names,
    primary_keys,
    cdc_start_date,
    generation,
    last_file_seq,
    indexed_from,
    indexed_through,
    slices,
    shown.dates,
    feed_location,
    shown.feed_dates,
    files,
    sorted_out.withheld,
    sorted_out.readmitted,
    rows_before,
    rows_inserted,
    rows_updated,
    rows_deleted,
    rows_after,
    {{ run_started() }} as started_at,
    current_timestamp() as finished_at
from {{ ledger }}
cross join sorted_out
cross join shown
where {{ version_filter(declared, entries[target].head_version) }}
{% endmacro %}
