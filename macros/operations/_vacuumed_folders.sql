{% macro _vacuumed_folders(job) %}
    {#- What can go, by folder. Read once, so not sorted in SQL: if the job deletes, reading it is what does. -#}
    {% do run_query(
        "create or replace temporary view dms_vacuumed (folder string, file_count bigint, size bigint)"
        ~ " using dms_vacuum options (job " ~ dms_snapshots.sql_string(tojson(job)) ~ ")"
    ) %}
    {% do return(
        dms_snapshots.query_rows("select folder, file_count, size from dms_vacuumed") | sort(attribute="folder")
    ) %}
{% endmacro %}
