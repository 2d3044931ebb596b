{% macro _version_before(entries, version) %}
    {#- What was shown before the last change of a state; a day without changes is none. None at the first. -#}
    {#- A copy, as vacuum makes one too, has the last change of what it is a copy of. -#}
    {% if entries[version].restored_version is not none %}
        {% do return(_version_before(entries, entries[version].restored_version)) %}
    {% endif %}
    {% if entries[version].head_version != version %}{% do return(version - 1) %}{% endif %}
    {% set origin = namespace(version=origin_version(entries, version)) %}
    {% for step in range(entries | length) %}
        {% if entries[origin.version].action != "carry" or origin.version == 1 %}{% break %}{% endif %}
        {% set origin.version = origin_version(entries, origin.version - 1) %}
    {% endfor %}
    {% do return(origin.version - 1 or none) %}
{% endmacro %}
