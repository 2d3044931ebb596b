{% macro commit_version(declared, manifest, publishes=false) %}
    {% set answer = dms_snapshots.ask_versions("commit", {
        "manifest": dict(manifest, **dms_snapshots.table_partition(declared)),
        "token": dms_snapshots.run_name() ~ "-" ~ invocation_id[:8],
        "publishes": publishes,
    })[declared.label] %}
    {% set outcome = answer.outcome %}
    {% if outcome == "late" %}
        {% do dms_snapshots.fail(
            "E406",
            declared.label,
            "run_date " ~ manifest.run_date ~ " is before " ~ answer.date
            ~ ", which another command has published while this one was at work",
            "Nothing of this table was published by this one.",
            "Run that date or a later one."
        ) %}
    {% elif outcome != "created" %}
        {% do dms_snapshots.fail(
            "E401",
            declared.label,
            "another run has published version " ~ manifest.version ~ " while this one was at work",
            "Nothing of this table was published by this one.",
            "Run the same command again."
        ) %}
    {% endif %}
    {% do return(answer.state) %}
{% endmacro %}


{% macro table_partition(declared) %}
    {% do return({"source_name": declared.source_name, "table_name": declared.table_name}) %}
{% endmacro %}
