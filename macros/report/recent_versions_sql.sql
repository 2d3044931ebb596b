{% macro recent_versions_sql(limit, seen) -%}
    {% set versions = load_relation(ref("dms_snapshots", "snapshot_versions")) %}
    {% if not versions %}
        {% do return("select '' as source_name where false") %}
    {% endif %}
    {% set shown = {} %}
    {% for label, said in seen.items() if said.newest %}{% do shown.update({label: said.newest}) %}{% endfor %}
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
        date_format(started_at, 'yyyy-MM-dd HH:mm:ss') as started_at,
        date_format(finished_at, 'yyyy-MM-dd HH:mm:ss') as finished_at,
        place <= {{ limit }} as is_recent
    from (
        select
            *,
            row_number() over (partition by source_name, table_name order by version desc) as place
        from {{ versions }}
    )
    where
        place <= {{ limit }}
        or array_contains(
            element_at(
                from_json({{ dms_snapshots.sql_string(tojson(shown)) }}, 'map<string, array<int>>'),
                concat(source_name, '.', table_name)
            ),
            version
        )
{% endmacro %}
