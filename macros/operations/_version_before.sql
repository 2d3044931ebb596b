{% macro _version_before(entries, version) %}
    {% if entries[version].restored_version is not none %}
        {% do return(dms_snapshots._version_before(entries, entries[version].restored_version)) %}
    {% endif %}
    {% if entries[version].current_version != version %}{% do return(version - 1) %}{% endif %}
    {% set origin = namespace(version=dms_snapshots.origin_version(entries, version)) %}
    {% if origin.version == 1 %}{% do return(none) %}{% endif %}
    {#- A date that was run again with the same files has made the same change twice; a backfill between is another. -#}
    {% set change, before = entries[origin.version], entries[dms_snapshots.origin_version(
        entries, origin.version - 1
    )] %}
    {% set is_next = entries[origin.version - 1].current_version == origin.version - 1 %}
    {% if is_next and dms_snapshots._is_same_batch(entries, change, before) %}
        {% do return(dms_snapshots._version_before(entries, before.version)) %}
    {% endif %}
    {% do return(origin.version - 1) %}
{% endmacro %}


{% macro _is_same_batch(entries, one, other) %}
    {% set bases = [] %}
    {% for entry in [one, other] %}
        {% do bases.append(entry.base_version and dms_snapshots.origin_version(entries, entry.base_version)) %}
    {% endfor %}
    {% do return(
        one.action in ["build", "merge"]
        and one.action == other.action
        and one.run_date == other.run_date
        and one.files | sort == other.files | sort
        and bases[0] == bases[1]
    ) %}
{% endmacro %}
