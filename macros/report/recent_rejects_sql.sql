{% macro recent_rejects_sql(limit) %}
    {% set rejects = load_relation(ref("dms_snapshots", "dms_rejects")) %}
    {% set log = load_relation(ref("dms_snapshots", "dms_staged_files")) %}
    {% if not rejects or not log %}
        {% do return("select '' as source_name where false") %}
    {% endif %}
    select
        source_name,
        table_name,
        path,
        row_number,
        reason,
        cast(run_date as string) as run_date,
        reject_count
    from (
        select
            *,
            count(*) over (partition by source_name, table_name) as reject_count,
            row_number() over (
                partition by source_name, table_name
                order by run_date desc, path, row_number
            ) as place
        from ({{ dms_snapshots.open_rejects_sql() }})
    )
    where place <= {{ limit }}
{% endmacro %}
