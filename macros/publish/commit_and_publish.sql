{% macro commit_and_publish(relation, declared, state, manifest) %}
    {#- Makes a version the newest one by an operation, publishes it, and records that; returns the state after it. -#}
    {% do dms_snapshots.commit_version(declared, manifest) %}
    {% set now = dms_snapshots.versions_at(declared, manifest.version, state.recorded) %}
    {% do dms_snapshots.publish_state(relation, declared, now, state.whole, state.whole.current.partitions) %}
    {% do dms_snapshots.record_rows("snapshot_dates", [dms_snapshots.published_record(declared, manifest.version)]) %}
    {% do dms_snapshots.publish_newer({declared.label: manifest.version}) %}
    {% do return(dict(state, newest=manifest.version, version=manifest.version + 1, whole=now)) %}
{% endmacro %}
