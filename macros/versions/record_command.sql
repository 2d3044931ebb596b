{% macro record_command(published, passed=[]) %}
    {% if not published and not passed %}{% do return(none) %}{% endif %}
    {% do dms_snapshots.ask_versions("record", {
        "run": dms_snapshots.run_name(), "published": published, "passed": passed
    }) %}
{% endmacro %}


{% macro published_record(declared, version, dates=[], indexed_from=none, indexed_through=none) %}
    {% do return(dict(
        dms_snapshots.table_partition(declared),
        version=version,
        dates=dates,
        indexed_from=indexed_from,
        indexed_through=indexed_through
    )) %}
{% endmacro %}
