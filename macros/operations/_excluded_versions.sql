{% macro _excluded_versions(state) %}
    {#- The versions that the newest rollback has undone of which files are still excluded; none if there are no such files. -#}
    {% set entries, excluded, holding = state.entries, {}, [] %}
    {% for file in state.whole.newest.excluded_files %}{% do excluded.update({file.path ~ "\n" ~ file.etag: true}) %}{% endfor %}
    {% for entry in entries.values() if entry.generation >= state.whole.current.generation %}
        {% for path, etag in entry.files if path ~ "\n" ~ etag in excluded %}{% do holding.append(entry.version) %}{% endfor %}
    {% endfor %}
    {% for entry in entries.values() | list | reverse if holding and entry.action in ["rollback", "rollback_to"] %}
        {% set undone = applied_versions(entries, entry.version - 1) | reject("in", applied_versions(entries, entry.version)) %}
        {% set found = undone | select("in", holding) | sort %}
        {% if found %}{% do return(found) %}{% endif %}
    {% endfor %}
    {% do return([]) %}
{% endmacro %}
