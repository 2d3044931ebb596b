{% macro version_sql(declared, plan, version) %}
{% set has_staged = version.action in ["merge", "build"] %}
{#- What the index has, a run without new files has seen: the next but one need not look there again. -#}
{% set newest = log_node("dms_files").get("newest") %}
{% set seen_run = newest.version if newest and version.action == "carry" and plan.base.indexed_through else none %}
{% set indexed_from = "timestamp'" ~ plan.base.indexed_through ~ "'" if plan.base.indexed_through else "cast(null as timestamp)" %}
with
{% if has_staged %}
staged as (

    select
        max(indexed_at) as indexed_through,
        collect_set(struct(path, etag)) as files
    from {{ ref("dms_staged_files") }}
    where
        {{ staged_filter(declared, plan.base) }}
        and staged_in <=> {{ sql_string(plan.staged.staged_in) if plan.staged.staged_in else "null" }}

),
{% endif %}

earlier as (

    {% if plan.newest %}
    select withheld, readmitted, dates, feed_dates
    from {{ ref("snapshot_versions") }}
    where {{ version_filter(declared, plan.newest) }}
    {% else %}
    -- A row all the same, without values.
    select
        any_value(withheld) as withheld,
        any_value(readmitted) as readmitted,
        any_value(dates) as dates,
        any_value(feed_dates) as feed_dates
    from {{ ref("snapshot_versions") }}
    where false
    {% endif %}

)

select
    {{ sql_string(version.action) }} as action,
    date'{{ version.run_date }}' as run_date,
    {{ version.head_version or version.version }} as head_version,
    cast(null as int) as restored_version,
    {{ plan.base.version if plan.base else "cast(null as int)" }} as base_version,
    {{ sql_string(layout(declared)) }} as layout,
    {{ declared_as_sql(declared) }},
    {{ "date'" ~ declared.cdc_start_date ~ "'" if declared.cdc_start_date else "cast(null as date)" }} as cdc_start_date,
    {{ version.generation }} as generation,
    cast({{ version.last_file_seq }} as bigint) as last_file_seq,
    {{ indexed_from }} as indexed_from,
    greatest({{ indexed_from }}, {{ "staged.indexed_through" if has_staged else run_version_time(seen_run) if seen_run else "null" }}) as indexed_through,
    from_json({{ sql_string(tojson(version.slices)) }}, 'array<struct<slice: string, location: string, rows: bigint>>') as slices,
    {{ shown_dates_sql(declared, version, plan) }} as dates,
    {{ sql_string(version.feed_location) if version.feed_location else "cast(null as string)" }} as feed_location,
    {{ feed_dates_sql(declared, version, "earlier") }} as feed_dates,
    {{ "staged.files" if has_staged else "cast(array() as array<struct<path: string, etag: string>>)" }} as files,
    earlier.withheld,
    earlier.readmitted,
    {{ version_counts_sql(version) }},
    {{ run_started() }} as started_at,
    current_timestamp() as finished_at
from earlier
{{ "cross join staged" if has_staged }}
{% endmacro %}
