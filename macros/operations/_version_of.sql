{% macro _version_of(declared, state, entries, to) %}
    {#- The version that a person names: its number, or a date that readers see or once saw. -#}
    {% set wanted = to | string %}
    {% if modules.re.match("^[0-9]+$", wanted) %}
        {% if wanted | int in entries %}{% do return(wanted | int) %}{% endif %}
    {% elif is_date(wanted) %}
        {% set found = [] %}
        {% for entry in entries.values() if entry.run_date == wanted and entry.head_version == entry.version %}
            {% do found.append(entry.version) %}
        {% endfor %}
        {% if found %}{% do return(found | last) %}{% endif %}
    {% endif %}
    {% set dates = entries.values() | map(attribute="run_date") | unique | sort %}
    {% do exceptions.raise_compiler_error(
        declared.label ~ ": to is " ~ wanted ~ ", which is no version and no published date. Nothing was changed. Allowed are versions "
        ~ "1 to " ~ state.newest ~ " and the dates " ~ dates | join(", ") ~ ", as dbt run-operation versions shows them."
    ) %}
{% endmacro %}
