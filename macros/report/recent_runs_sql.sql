{% macro recent_runs_sql(limit) %}
    {% set log = load_relation(ref("dms_snapshots", "dms_staged_files")) %}
    {% set versions = load_relation(ref("dms_snapshots", "snapshot_versions")) %}
    {% if not log or not versions %}
        {% do return("select '' as source_name where false") %}
    {% endif %}
    select
        source_name,
        table_name,
        cast(run_date as string) as run_date,
        coalesce(file_count, 0) as file_count,
        coalesce(row_count, 0) as row_count,
        coalesce(reject_count, 0) as reject_count,
        version
    from (
        select
            *,
            row_number() over (partition by source_name, table_name order by run_date desc) as place
        from (
            select
                source_name,
                table_name,
                run_date,
                count(distinct path) as file_count,
                sum(row_count) as row_count,
                sum(reject_count) as reject_count
            from {{ log }}
            group by source_name, table_name, run_date
        )
        -- What was published without new files is among the versions only.
        full outer join (
            select source_name, table_name, run_date, max(version) as version
            from {{ versions }}
            where action in ('alter', 'merge', 'build')
            group by source_name, table_name, run_date
        ) using (source_name, table_name, run_date)
    )
    where place <= {{ limit }}
{% endmacro %}
