{% macro recent_versions_sql(limit) %}
    {#- The dates stand with the newest version of each table only: they are those that readers see. -#}
    {% set ledger = load_relation(ref("snapshot_versions")) %}
    {% if not ledger %}
        {% do return("select '' as source_name where false") %}
    {% endif %}
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
        date_format(finished_at, 'yyyy-MM-dd HH:mm:ss') as finished_at
    from (
        select
            *,
            row_number() over (partition by source_name, table_name order by version desc) as place
        from {{ ledger }}
    )
    where place <= {{ limit }}
{% endmacro %}
