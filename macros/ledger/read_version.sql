{% macro read_version(declared, version) %}
    {#- One version of the ledger, without its lists of files and dates, which may be long. -#}
    {% do return(query_rows(
        "select version, action, head_version, base_version, cast(run_date as string) as run_date, layout, generation,"
        ~ " last_file_seq, " ~ run_version_sql("indexed_from") ~ " as indexed_from_run, slices, rows_after,"
        ~ " size(coalesce(withheld, array())) as withheld_count, size(coalesce(readmitted, array())) as readmitted_count"
        ~ " from " ~ model_relation("snapshot_versions") ~ " where " ~ version_filter(declared, version)
    )[0]) %}
{% endmacro %}
