{% macro read_versions(declared, versions) %}
    {#-
        Some versions of the ledger, by version, without their lists of files, which may be long. `dates`
        and `feed_dates` give for each date the version that is shown.
    -#}
    {% set found = {} %}
    {% for row in query_rows(
        "select version, action, head_version, base_version, cast(run_date as string) as run_date, layout, generation,"
        ~ " last_file_seq, " ~ run_version_sql("indexed_from") ~ " as indexed_from_run, slices, coalesce(dates, array()) as dates, feed_dates, rows_after,"
        ~ " size(coalesce(withheld, array())) as withheld_count, size(coalesce(readmitted, array())) as readmitted_count"
        ~ " from " ~ model_relation("snapshot_versions") ~ " where " ~ versions_filter(declared, versions)
    ) %}
        {% for column in ["dates", "feed_dates"] if row[column] is not none %}
            {% set shown = {} %}
            {% for date in row[column] %}{% do shown.update({date.run_date: date.version}) %}{% endfor %}
            {% do row.update({column: shown}) %}
        {% endfor %}
        {% do found.update({row.version: row}) %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}
