{% macro _next_command(operation, arguments, dry_run, after) %}
    {#- What to type now: the same for good, or what comes after it. -#}
    {% if dry_run %}
        {% set given = [] %}
        {% for name, value in arguments.items() if value is not none %}
            {% set plain = value is number or modules.re.match("^[A-Za-z0-9_.-]+$", value | string) %}
            {% do given.append(name ~ ": " ~ (value if plain else tojson(value))) %}
        {% endfor %}
        {% do print(
            "Nothing was changed. To do it: dbt run-operation " ~ operation ~ dms_snapshots.given_target()
            ~ " --args '{" ~ (given + ["dry_run: false"]) | join(", ") ~ "}'"
        ) %}
    {% else %}
        {% do print("Next: " ~ after) %}
    {% endif %}
{% endmacro %}
