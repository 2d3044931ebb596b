{% macro commit_and_publish(relation, declared, state, manifest) %}
    {#- Makes a version the newest one by an operation, publishes it, and records that; returns the state after it. -#}
    {% do commit_version(declared, manifest) %}
    {% set now = versions_at(declared, manifest.version, state.recorded) %}
    {% do publish_state(relation, declared, now, state.whole, state.whole.current.partitions) %}
    {% do record_rows("snapshot_dates", [published_record(declared, manifest.version)]) %}
    {% do publish_newer({declared.label: manifest.version}) %}
    {% do return(dict(state, newest=manifest.version, version=manifest.version + 1, whole=now)) %}
{% endmacro %}
