{% macro _next_command(operation, arguments, dry_run, after) %}
    {#- What to type now: the same for good, or what comes after it. -#}
    {% if dry_run %}
        {% set given = [] %}
        {% for name, value in arguments.items() if value is not none %}
            {% do given.append(name ~ ": " ~ (value | string if value is string or value is number else tojson(value | string if value is not sequence else value))) %}
        {% endfor %}
        {% do print(
            "Nothing was changed. To do it: dbt run-operation " ~ operation ~ " --args '{" ~ (given + ["dry_run: false"]) | join(", ") ~ "}'"
        ) %}
    {% else %}
        {% do print("Next: " ~ after) %}
    {% endif %}
{% endmacro %}
