{% macro recent_versions_sql(limit) -%}
    {% set versions = load_relation(ref("dms_snapshots", "snapshot_versions")) %}
    {% if not versions %}
        {% do return("select '' as source_name where false") %}
    {% endif %}
    with ranked as (

        select
            *,
            row_number() over (partition by source_name, table_name order by version desc) as place
        from {{ versions }}

    ),

    shown_dates as (

        {{ dms_snapshots.shown_dates_sql(versions) }}

    ),

    shown as (

        select
            source_name,
            table_name,
            array_sort(collect_list(struct(run_date, shown_version as version))) as dates
        from shown_dates
        group by source_name, table_name

    ),

    recently_shown as (

        select
            source_name,
            table_name,
            inline(slice(reverse(dates), 1, {{ limit }})) as (shown_date, version)
        from shown

    )

    select
        source_name,
        table_name,
        version,
        action,
        cast(run_date as string) as run_date,
        current_version,
        restored_version,
        base_version,
        rows_before,
        rows_inserted,
        rows_updated,
        rows_deleted,
        rows_after,
        layout,
        size(coalesce(files, array())) as file_count,
        if(place = 1, shown.dates, null) as dates,
        date_format(started_at, 'yyyy-MM-dd HH:mm:ss') as started_at,
        date_format(finished_at, 'yyyy-MM-dd HH:mm:ss') as finished_at,
        place <= {{ limit }} as is_recent
    from ranked
    left join (select distinct source_name, table_name, version, true as is_shown from recently_shown)
        using (source_name, table_name, version)
    left join shown using (source_name, table_name)
    where place <= {{ limit }} or is_shown
{% endmacro %}
