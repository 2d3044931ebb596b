{% macro _withheld_files_sql(declared, state, versions) %}
    {#-
        The withheld files of some versions, and whether the index has each as it was: there, replaced (by
        another upload, or with its full load) or vanished.
    -#}
with withheld as (

    select inline(withheld) as (path, etag)
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
    left semi join withheld using (path, etag)

),

indexed as (

    select path, max_by(struct(kind, etag, generation), indexed_at) as noted
    from ({{ table_files_sql(declared.source_name, declared.table_name) }})
    group by path

),

newest_load as (

    -- A full load that is withheld itself replaces nothing.
    select max(indexed.noted.generation) as generation
    from indexed
    left anti join withheld on indexed.path = withheld.path and indexed.noted.etag = withheld.etag
    where indexed.noted.kind in ('load', 'returned')

)

select
    files.path,
    case
        when indexed.noted.kind = 'vanished' then 'vanished'
        when indexed.noted.etag <> files.etag or indexed.noted.generation < newest_load.generation then 'replaced'
        else 'there'
    end as noted
from files
cross join newest_load
left join indexed on files.path = indexed.path
{% endmacro %}
