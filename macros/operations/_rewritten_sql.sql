{% macro _rewritten_sql(declared, state, version) %}
    {#-
        The ledger's row of a version that has the files of the current one applied, but slices of its
        own. Dates and withheld files are those of the newest version, which may have added a date.
    -#}
with newest as (

    select dates, feed_dates, withheld, readmitted
    from {{ ref("snapshot_versions") }}
    where {{ version_filter(declared, state.newest) }}

)

select
    {{ sql_string(version.action) }} as action,
    run_date,
    {{ version.version }} as head_version,
    cast(null as int) as restored_version,
    base_version,
    layout,
    -- As what the files were staged; what was declared since has no values yet.
    column_names,
    primary_keys,
    cdc_start_date,
    generation,
    last_file_seq,
    indexed_from,
    indexed_through,
    from_json({{ sql_string(tojson(version.slices)) }}, 'array<struct<slice: string, location: string, rows: bigint>>') as slices,
    transform(newest.dates, shown -> if(shown.run_date = run_date, struct(run_date, {{ version.version }} as version), shown)) as dates,
    {{ sql_string(version.feed_location) if version.feed_location else "cast(null as string)" }} as feed_location,
    {{ feed_dates_sql(declared, dict(version, head_version=version.version), "newest") }} as feed_dates,
    files,
    newest.withheld,
    newest.readmitted,
    {{ version_counts_sql(version) }},
    {{ run_started() }} as started_at,
    current_timestamp() as finished_at
from {{ ref("snapshot_versions") }} as head
cross join newest
where {{ version_filter(declared, state.head.version) }}
{% endmacro %}
