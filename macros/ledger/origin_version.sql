{% macro origin_version(entries, version) %}
    {#- The version that made the state which this one shows: a copy leads to what it is a copy of. -#}
    {% set entry = entries[version] %}
    {% if entry.head_version != version %}{% do return(origin_version(entries, entry.head_version)) %}{% endif %}
    {% if entry.restored_version is not none %}{% do return(origin_version(entries, entry.restored_version)) %}{% endif %}
    {% do return(version) %}
{% endmacro %}
