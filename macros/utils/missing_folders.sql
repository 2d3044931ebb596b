{% macro missing_folders(folders) %}
    {#- Those of some folders that have no files (any more); at most three of them. -#}
    {% do run_query(
        "create or replace temporary view dms_missing_folders (folder string) using dms_folders options (folders "
        ~ sql_string(tojson(folders)) ~ ")"
    ) %}
    {% do return(
        query_rows("select folder from dms_missing_folders order by folder limit 3") | map(attribute="folder") | list
    ) %}
{% endmacro %}
