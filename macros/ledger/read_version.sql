{% macro read_version(declared, version) %}
    {#- One version of the ledger, without its list of files, which may be long. -#}
    {% do return(query_rows(
        "select version, base_version, cast(run_date as string) as run_date, generation, last_file_seq, slices, rows_after"
        ~ " from " ~ ref("snapshot_versions")
        ~ " where " ~ version_filter(declared, version.run_date, version.version)
    )[0]) %}
{% endmacro %}
