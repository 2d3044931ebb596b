{% macro origin_version(entries, version) %}
    {% set entry = entries[version] %}
    {% if entry.current_version != version and entry.current_version in entries %}
        {% do return(dms_snapshots.origin_version(entries, entry.current_version)) %}
    {% endif %}
    {% if entry.restored_version is not none and entry.restored_version in entries %}
        {% do return(dms_snapshots.origin_version(entries, entry.restored_version)) %}
    {% endif %}
    {% do return(version) %}
{% endmacro %}
