{% macro missing_files_sql(files_sql, declared, base, head) %}
with last_noted as (

    {{ vanished_files_sql(files_sql) }}

),

-- The last run that looked at the files, and not an operation on versions, which looks at none.
base as (

    select max(started_at) as started_at
    from {{ ref("snapshot_versions") }}
    where
        {{ table_filter(declared) }}
        and version <= {{ base.version if base else 0 }}
        and action in ('build', 'merge', 'carry')

),

-- What was rolled back may go.
withheld as (

    select inline(withheld) as (path, etag)
    from {{ ref("snapshot_versions") }}
    where {{ version_filter(declared, head.version) if head and head.withheld_count else "false" }}

),

relevant as (

    select
        last_noted.path,
        last_noted.is_vanished,
        last_noted.seen_at,
        last_noted.noted_at,
        last_noted.is_vanished and (base.started_at is null or last_noted.noted_at > base.started_at) as is_new
    from last_noted
    left anti join withheld on last_noted.path = withheld.path and last_noted.etag = withheld.etag
    cross join base
    where
        not last_noted.is_replaced
        -- What was never staged is refused by name when it is read.
        and (
            not last_noted.is_vanished
            or last_noted.path in (
                select path
                from {{ ref("dms_staged_files") }}
                where {{ table_filter(declared) }}
            )
        )
        {% if declared.cdc_start_date %}and (last_noted.file_time is null or last_noted.file_time >= date'{{ declared.cdc_start_date }}'){% endif %}

),

-- Told once, and not again by a full refresh.
rewritten as (

    select
        count(*) as path_count,
        slice(sort_array(collect_list(files.path)), 1, 3) as paths
    from ({{ rewritten_files_sql(files_sql, declared) }}) as files
    cross join (
        select max(started_at) as started_at
        from {{ ref("snapshot_versions") }}
        where {{ table_filter(declared) }} and action in ('build', 'merge', 'carry')
    ) as last_run
    where last_run.started_at is null or files.noted_at > last_run.started_at

),

last_gone as (

    select max(noted_at) as noted_at
    from relevant
    where is_new

),

counted as (

    select
        count_if(relevant.is_new) as new_count,
        count_if(relevant.is_vanished and not relevant.is_new) as told_count,
        -- What was first seen when the others were gone may have been written after a TRUNCATE.
        count_if(
            not relevant.is_vanished
            and relevant.seen_at < last_gone.noted_at
            and {{ is_below_path_sql(declared, "relevant.path") }}
        ) as left_count,
        slice(sort_array(collect_list(relevant.path) filter (where relevant.is_new)), 1, 3) as first_paths
    from relevant
    left join last_gone on true

)

select
    counted.*,
    rewritten.path_count as rewritten_count,
    rewritten.paths as rewritten_paths
from counted
cross join rewritten
{% endmacro %}
