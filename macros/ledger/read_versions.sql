{% macro read_versions(declared, versions) %}
    {#-
        Some versions of the ledger, by version, without their lists of files, which may be long. `dates`
        and `feed_dates` say for each date which version is shown; `feed_dates` is none without a feed.
    -#}
    {% set shown_by_date = "map_from_entries(transform({}, shown -> struct(cast(shown.run_date as string), shown.version)))" %}
    {% set found = {} %}
    {% for row in query_rows(
        "select version, action, head_version, base_version, cast(run_date as string) as run_date, layout, generation,"
        ~ " column_names, primary_keys, cast(cdc_start_date as string) as cdc_start_date, last_file_seq, " ~ run_version_sql("indexed_from") ~ " as indexed_from_run,"
        ~ " cast(indexed_through as string) as indexed_through, " ~ run_version_sql("indexed_through") ~ " as indexed_through_run, " ~ run_version_sql("started_at") ~ " as run_version,"
        ~ " date_format(started_at, 'yyyy-MM-dd HH:mm:ss') as started_at, slices, rows_after, "
        ~ shown_by_date.format("coalesce(dates, array())") ~ " as dates, "
        ~ shown_by_date.format("feed_dates") ~ " as feed_dates,"
        ~ " size(coalesce(withheld, array())) as withheld_count, size(coalesce(readmitted, array())) as readmitted_count"
        ~ " from " ~ model_relation("snapshot_versions") ~ " where " ~ versions_filter(declared, versions)
    ) %}
        {% do found.update({row.version: row}) %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}
