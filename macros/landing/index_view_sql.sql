{% macro index_view_sql(tables, writes=true) -%}
    {% set files = dms_snapshots.named_relation("dms_files") %}
    {% set job = dms_snapshots.index_job(files, tables, writes) %}
create or replace temporary view dms_index (label string, run string, plan string)
using dms_index options (job {{ dms_snapshots.sql_string(tojson(job)) }})
{% endmacro %}


{% macro index_job(files, tables, writes=true) %}
    {% set has_place = writes or dms_snapshots.log_exists("dms_files") %}
    {#- Before the first run there is no schema, which is asked where its tables are. -#}
    {% do return({
        "release": dms_snapshots.package_version(),
        "run_date": dms_snapshots.run_date(),
        "run": dms_snapshots.run_name(),
        "files": {
            "root": dms_snapshots.log_location("dms_files") if has_place else "",
            "partitions": dms_snapshots.log_partitions(files),
        },
        "version_log": dms_snapshots.version_log() if has_place else none,
        "tables": tables,
        "writes": writes,
        "late_file_days": var("late_file_days", none),
    }) %}
{% endmacro %}
