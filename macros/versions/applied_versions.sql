{% macro applied_versions(entries, version) %}
    {% set applied = [dms_snapshots.origin_version(entries, version)] %}
    {% for step in range(entries | length) %}
        {% set base = entries[applied | last].base_version %}
        {% if base is none %}{% break %}{% endif %}
        {% do applied.append(dms_snapshots.origin_version(entries, base)) %}
    {% endfor %}
    {% do return(applied) %}
{% endmacro %}
