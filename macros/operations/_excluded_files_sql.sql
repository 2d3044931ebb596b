{% macro _excluded_files_sql(declared, state, versions) %}
    {#-
        The excluded files of some versions, and whether the index has each as it was: there, replaced (by
        another upload, or with its full load) or missing.
    -#}
with excluded as (

    select inline(excluded_files) as (path, etag)
    from {{ ref("snapshot_versions") }}
    where {{ version_filter(declared, state.newest) }}

),

files as (

    select distinct path, etag
    from (
        select inline(files) as (path, etag)
        from {{ ref("snapshot_versions") }}
        where {{ versions_filter(declared, versions) }}
    )
    left semi join excluded using (path, etag)

),

indexed as (

    select path, max_by(struct(kind, etag, generation), indexed_at) as last
    from {{ ref("dms_files") }}
    where {{ table_filter(declared) }}
    group by path

),

newest_load as (

    -- A full load that is excluded itself replaces nothing.
    select max(indexed.last.generation) as generation
    from indexed
    left anti join excluded on indexed.path = excluded.path and indexed.last.etag = excluded.etag
    where indexed.last.kind in ('load', 'restored')

)

select
    files.path,
    case
        when indexed.last.kind = 'missing' then 'missing'
        when indexed.last.etag <> files.etag or indexed.last.generation < newest_load.generation then 'replaced'
        else 'there'
    end as state
from files
cross join newest_load
left join indexed on files.path = indexed.path
{% endmacro %}
