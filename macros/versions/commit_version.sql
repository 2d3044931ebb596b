{% macro commit_version(declared, manifest) %}
    {% set own = dms_snapshots.run_name() ~ "-" ~ invocation_id[:8] %}
    {% set rows = dms_snapshots.manifest_rows(declared, own, manifest.version) %}
    {% set answer = dms_snapshots.ask_versions("commit", {
        "manifest": dict(manifest, **dms_snapshots.table_partition(declared)), "token": own, "rows": rows
    }) %}
    {% if answer[declared.label].outcome != "created" %}
        {% do dms_snapshots.fail(
            "E401",
            declared.label,
            "another run has published version " ~ manifest.version ~ " while this one was at work",
            "Nothing of this table was published by this one.",
            "Run the same command again."
        ) %}
    {% endif %}
    {% do dms_snapshots.show_manifest(declared, dict(manifest, commit_id=own)) %}
{% endmacro %}


{% macro show_manifest(declared, manifest) %}
    {% do dms_snapshots.add_partitions(dms_snapshots.named_relation("snapshot_versions"), [{
        "values": dict(dms_snapshots.table_partition(declared), version=manifest.version),
        "location": dms_snapshots.manifest_rows(declared, manifest.commit_id, manifest.version),
    }]) %}
{% endmacro %}


{% macro manifest_rows(declared, own, version) %}
    {% do return(
        dms_snapshots.log_location("snapshot_versions") ~ "/" ~ declared.label ~ "/" ~ own ~ "-" ~ version
    ) %}
{% endmacro %}


{% macro table_partition(declared) %}
    {% do return({"source_name": declared.source_name, "table_name": declared.table_name}) %}
{% endmacro %}
