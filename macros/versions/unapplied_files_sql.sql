{% macro unapplied_files_sql(tables) -%}
    {% set places = [] %}
    {% for table in tables %}{% do places.append("(" ~ dms_snapshots.table_filter(table) ~ ")") %}{% endfor %}
    {#- Of many the metastore is not asked by name. -#}
    {% set of_tables = places | join(" or ") if tables | length <= 50 else "true" %}
with indexed as (

    select
        source_name,
        table_name,
        path,
        max_by(struct(kind, etag, file_time, generation, indexed_at), indexed_at) as last
    from {{ dms_snapshots.named_relation("dms_files") }}
    where ({{ of_tables }}) and kind in ('load', 'cdc', 'missing', 'restored')
    group by source_name, table_name, path

),

versions as (

    select *
    from {{ dms_snapshots.named_relation("snapshot_versions") }}
    where {{ of_tables }}

),

newest as (

    select
        source_name,
        table_name,
        max_by(struct(excluded_files, generation, shards), version) as last,
        -- What only adds an earlier date has another current version than itself.
        max_by(run_date, if(current_version = version, version, null)) as run_date,
        max(indexed_through) as indexed_through
    from versions
    group by source_name, table_name

),

confirmed as (

    select
        source_name,
        table_name,
        max(indexed_through) as indexed_through
    from {{ dms_snapshots.named_relation("snapshot_dates") }}
    where {{ of_tables }}
    group by source_name, table_name

),

applied as (

    select
        source_name,
        table_name,
        inline(files) as (path, etag)
    from versions

)

select
    indexed.source_name,
    indexed.table_name,
    indexed.path,
    cast(cast(indexed.last.file_time as date) as string) as file_date
from indexed
inner join newest
    on indexed.source_name = newest.source_name and indexed.table_name = newest.table_name
left join confirmed
    on indexed.source_name = confirmed.source_name and indexed.table_name = confirmed.table_name
left anti join applied
    on
        indexed.source_name = applied.source_name
        and indexed.table_name = applied.table_name
        and indexed.path = applied.path
        and indexed.last.etag = applied.etag
where
    -- One that is back as it was is taken too, if no version ever applied it.
    indexed.last.kind in ('load', 'cdc', 'restored')
    and indexed.last.indexed_at <= greatest(newest.indexed_through, confirmed.indexed_through)
    -- Of a load generation that the rows of the newest version stand on.
    and if(
        coalesce(size(newest.last.shards), 0) < 1,
        indexed.last.generation = newest.last.generation,
        exists(newest.last.shards, shard -> shard.generation = indexed.last.generation)
    )
    and not coalesce(array_contains(newest.last.excluded_files,
        struct(indexed.path as path, indexed.last.etag as etag)), false)
    and (indexed.last.file_time is null or indexed.last.file_time < date_add(newest.run_date, 1))
{% endmacro %}
