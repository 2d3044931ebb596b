{% macro write_folder_sql(location) %}
    {#-
        The beginning of a statement that writes its rows to a fresh folder, with one file for each task. So tasks may
        put their files where they stay: what is tried again has the name of what it replaces, no run reads the folder
        before a manifest names it, and an object store is not asked to copy each file (version 2 of the committer).
    -#}
    {%- do return(
        "insert overwrite directory " ~ dms_snapshots.sql_string(location)
        ~ " using parquet options ('mapreduce.fileoutputcommitter.algorithm.version' = '2')"
    ) -%}
{% endmacro %}
