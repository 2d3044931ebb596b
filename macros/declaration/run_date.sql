{% macro run_date() %}
    {% set value = var("run_date", run_started_at.strftime("%Y-%m-%d")) | string %}
    {% if modules.re.match("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", value) %}
        {% set year, month, day = value.split("-") | map("int") %}
        {% if 1 <= month <= 12 and year >= 1 %}
            {% set first = modules.datetime.date(year, month, 1) %}
            {% if 1 <= day and (first + modules.datetime.timedelta(days=day - 1)).month == month %}
                {% do return(value) %}
            {% endif %}
        {% endif %}
    {% endif %}
    {% do exceptions.raise_compiler_error(
        "run_date: '" ~ value ~ "' is not a date. Allowed is YYYY-MM-DD, for example "
        ~ "dbt run --vars '{run_date: 2026-11-20}'."
    ) %}
{% endmacro %}
