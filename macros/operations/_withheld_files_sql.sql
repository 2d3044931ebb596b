{% macro _withheld_files_sql(declared, state, versions) %}
    {#- The withheld files of some versions, and whether the index has each as it was: there, replaced or vanished. -#}
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

    select path, max_by(struct(kind, etag), indexed_at) as noted
    from ({{ table_files_sql(declared.source_name, declared.table_name) }})
    group by path

)

select
    files.path,
    case
        when indexed.noted.kind = 'vanished' then 'vanished'
        when indexed.noted.etag <> files.etag then 'replaced'
        else 'there'
    end as noted
from files
left join indexed on files.path = indexed.path
{% endmacro %}
