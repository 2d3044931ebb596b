{% macro shown_dates_sql(versions) -%}
    {% set recorded = load_relation(dms_snapshots.named_relation("snapshot_dates")) %}
with newest as (

    select
        source_name,
        table_name,
        max_by(struct(current_version, dates), version) as manifest
    from {{ versions }}
    group by source_name, table_name

),

in_manifests as (

    select
        source_name,
        table_name,
        inline(manifest.dates) as (run_date, shown_version)
    from newest

),

unchanged as (
    {% if recorded %}

    select
        newest.source_name,
        newest.table_name,
        explode(recorded.dates) as run_date,
        newest.manifest.current_version as shown_version
    from newest
    inner join (
        select
            source_name,
            table_name,
            version,
            array_distinct(flatten(collect_list(dates))) as dates
        from {{ recorded }}
        group by source_name, table_name, version
    ) as recorded
        on
            newest.source_name = recorded.source_name
            and newest.table_name = recorded.table_name
            and newest.manifest.current_version = recorded.version
    {% else %}

    select * from in_manifests
    where false
    {% endif %}

)

select * from in_manifests

union all

select unchanged.*
from unchanged
left anti join in_manifests
    on
        unchanged.source_name = in_manifests.source_name
        and unchanged.table_name = in_manifests.table_name
        and unchanged.run_date = in_manifests.run_date
{% endmacro %}
