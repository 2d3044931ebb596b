{% macro _table_about(result, state) %}
    {#- One line: the counts, or the first sentence of the reason. -#}
    {% if state == "skipped" %}
        {% do return("what it depends on failed") %}
    {% elif state != "failed" %}
        {% do return(result.message.split("; warning: ")[0]) %}
    {% endif %}
    {% set said = [] %}
    {% for line in (result.message or "").splitlines() | map("trim") if line and said | length < 2 %}
        {#- dbt's own headlines tell no reason. -#}
        {% if not modules.re.match("^[A-Za-z]+ Error( in .*)?$", line) and not (said and not said[0].endswith(":")) %}
            {% do said.append(line) %}
        {% endif %}
    {% endfor %}
    {% do return(said | join(" ")) %}
{% endmacro %}
