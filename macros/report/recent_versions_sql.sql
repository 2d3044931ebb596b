{% macro recent_versions_sql(limit) %}
    {#-
        The dates stand with the newest version of each table only: they are those that readers see.
        After a rollback their versions may be much older than the newest ones.
    -#}
    {% set ledger = load_relation(ref("snapshot_versions")) %}
    {% if not ledger %}
        {% do return("select '' as source_name where false") %}
    {% endif %}
    with ranked as (

        select
            *,
            row_number() over (partition by source_name, table_name order by version desc) as place
        from {{ ledger }}

    ),

    shown as (

        select
            source_name,
            table_name,
            inline(slice(reverse(array_sort(dates)), 1, {{ limit }})) as (shown_date, version)
        from ranked
        where place = 1

    )

    select
        source_name,
        table_name,
        version,
        action,
        cast(run_date as string) as run_date,
        head_version,
        restored_version,
        base_version,
        rows_before,
        rows_inserted,
        rows_updated,
        rows_deleted,
        rows_after,
        layout,
        size(coalesce(files, array())) as file_count,
        if(place = 1, dates, null) as dates,
        date_format(started_at, 'yyyy-MM-dd HH:mm:ss') as started_at,
        date_format(finished_at, 'yyyy-MM-dd HH:mm:ss') as finished_at,
        place <= {{ limit }} as is_recent
    from ranked
    left join (select source_name, table_name, version, true as is_shown from shown)
        using (source_name, table_name, version)
    where place <= {{ limit }} or is_shown
{% endmacro %}
