{% macro _missing_dates(declared, state, from_date, to_date) %}
    {% if not declared.history %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": history is false, so there are no snapshots of dates. Nothing was changed."
        ) %}
    {% endif %}
    {% set last_date = state.whole.dates.keys() | max %}
    {% if to_date > last_date %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": to_date " ~ to_date ~ " is after the newest published date, " ~ last_date
            ~ ". Nothing was changed. Later dates are made by dbt run."
        ) %}
    {% endif %}
    {% set there = state.whole.dates %}
    {% set first = modules.datetime.datetime.strptime(from_date, "%Y-%m-%d") %}
    {% set last = modules.datetime.datetime.strptime(to_date, "%Y-%m-%d") %}
    {% set missing = [] %}
    {% for day in range((last - first).days + 1) %}
        {% set date = (first + modules.datetime.timedelta(days=day)).strftime("%Y-%m-%d") %}
        {% if date not in there %}{% do missing.append(date) %}{% endif %}
    {% endfor %}
    {% do return(missing) %}
{% endmacro %}
