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
        -- What came since may have been written after a TRUNCATE.
        not last_noted.is_vanished and (base.started_at is null or last_noted.seen_at <= base.started_at) as is_left,
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

)

select
    count_if(is_new) as new_count,
    count_if(is_vanished and not is_new) as told_count,
    count_if(is_left) as left_count,
    slice(sort_array(collect_list(path) filter (where is_new)), 1, 3) as first_paths
from relevant
{% endmacro %}
