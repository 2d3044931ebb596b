{% macro write_folder_sql(location, file_rows=0) %}
    {%- do return(
        "insert overwrite directory " ~ dms_snapshots.sql_string(location)
        ~ " using parquet options ('mapreduce.fileoutputcommitter.algorithm.version' = '2',"
        ~ " 'maxRecordsPerFile' = '" ~ file_rows ~ "')"
    ) -%}
{% endmacro %}
