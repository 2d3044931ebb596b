{% macro look_for_differing_files(path) %}
    {#-
        Makes the view dms_compared_files of what compared_files_sql has found, and a run, or each run of
        a date, has written to a folder; returns none if nothing of it differs, otherwise whether there
        is an object among it that is no file of DMS.
    -#}
    {% do run_query(
        "create or replace temporary view dms_compared_files (source_name string, table_name string, path string, difference string,"
        ~ " file_time timestamp, name_order bigint, size bigint, upload_etag string, modified_at timestamp, problem string,"
        ~ " is_written_anew boolean, noted_kind string, noted_file_time timestamp, noted_etag string,"
        ~ " noted_generation int, noted_file_seq bigint, found_by string) using parquet options (path " ~ sql_string(path) ~ ")"
    ) %}
    {#- The others stand only beside something of which differing_files_sql leaves a row. -#}
    {% do return(query_rows(
        "select bool_or(difference = 'unknown') as has_unknown from dms_compared_files where difference not in ('listed', 'empty')"
    )[0].has_unknown) %}
{% endmacro %}
