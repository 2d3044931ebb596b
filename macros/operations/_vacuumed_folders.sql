{% macro _vacuumed_folders(job) %}
    {% do run_query(
        "create or replace temporary view dms_vacuumed (folder string, file_count bigint, size bigint,"
        ~ " refused_count bigint, first_refusal string)"
        ~ " using dms_vacuum options (job " ~ dms_snapshots.sql_string(tojson(job)) ~ ")"
    ) %}
    {% do return(
        dms_snapshots.query_rows("select * from dms_vacuumed") | sort(attribute="folder")
    ) %}
{% endmacro %}
