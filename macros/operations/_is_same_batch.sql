{% macro _is_same_batch(entries, one, other) %}
    {#- Whether two versions put the same files of one run date on the same state. -#}
    {% set bases = [] %}
    {% for entry in [one, other] %}
        {% do bases.append(entry.base_version and origin_version(entries, entry.base_version)) %}
    {% endfor %}
    {% do return(
        one.action in ["build", "merge"]
        and one.action == other.action
        and one.run_date == other.run_date
        and one.files | sort == other.files | sort
        and bases[0] == bases[1]
    ) %}
{% endmacro %}
