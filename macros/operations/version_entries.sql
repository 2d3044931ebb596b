{% macro version_entries(declared) %}
    {#- Every version of a table by its number, oldest first; sorted here, because a sort of Spark is three jobs. -#}
    {% set entries = {} %}
    {% for row in query_rows(
        "select version, action, restored_version, base_version, cast(run_date as string) as run_date,"
        ~ " rows_before, rows_inserted, rows_updated, rows_deleted, rows_after, size(coalesce(files, array())) as file_count,"
        ~ " date_format(finished_at, 'yyyy-MM-dd HH:mm:ss') as finished_at from " ~ ref("snapshot_versions")
        ~ " where " ~ table_filter(declared)
    ) | sort(attribute="version") %}
        {% do entries.update({row.version: row}) %}
    {% endfor %}
    {% do return(entries) %}
{% endmacro %}
