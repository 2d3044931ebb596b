{% macro look_for_differing_files(path) %}
    {#-
        Makes the view dms_compared_files of what compared_files_sql has found, and a run, or each run of
        a date, has written to a folder; returns whether any of it differs.
    -#}
    {% do run_query(
        "create or replace temporary view dms_compared_files (source_name string, table_name string, path string, difference string,"
        ~ " file_time timestamp, name_order bigint, size bigint, upload_etag string, modified_at timestamp, problem string,"
        ~ " is_written_anew boolean, noted_kind string, noted_file_time timestamp, noted_etag string,"
        ~ " noted_generation int, noted_file_seq bigint, found_by string) using parquet options (path " ~ sql_string(path) ~ ")"
    ) %}
    {#- The others stand only beside something of which differing_files_sql leaves a row. -#}
    {% set found = query_rows("select 1 as found from dms_compared_files where difference not in ('listed', 'empty') limit 1") %}
    {% do return(found | length > 0) %}
{% endmacro %}
