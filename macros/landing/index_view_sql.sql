{% macro index_view_sql(tables, lists=true) -%}
    {% set job = dms_snapshots.index_job(this, tables, lists) %}
create or replace temporary view dms_index (label string, run string, plan string)
using dms_index options (job {{ dms_snapshots.sql_string(tojson(job)) }})
{% endmacro %}


{% macro index_job(files, tables, lists=true) %}
    {% set dates = load_relation(dms_snapshots.named_relation("snapshot_dates")) %}
    {% do return({
        "release": dms_snapshots.package_version(),
        "run_date": dms_snapshots.run_date(),
        "run": dms_snapshots.run_name(),
        "files": {"root": dms_snapshots.log_location("dms_files"), "partitions": dms_snapshots.log_partitions(files)},
        "dates": {
            "root": dms_snapshots.log_location("snapshot_dates"), "partitions": dms_snapshots.log_partitions(dates)
        } if dates else none,
        "tables": tables,
        "lists": lists,
        "late_file_days": var("late_file_days", none),
    }) %}
{% endmacro %}
