{% macro run_date() %}
    {% set value = var("run_date", run_started_at.strftime("%Y-%m-%d")) | string %}
    {% if not is_date(value) %}
        {% do fail(
            none,
            "run_date: '" ~ value ~ "' is not a date",
            "Nothing was run.",
            "Allowed is YYYY-MM-DD, for example dbt run --vars '{run_date: 2026-11-20}'."
        ) %}
    {% endif %}
    {#- A version of a date far ahead would shut out every run until that date. -#}
    {% set tomorrow = (run_started_at + modules.datetime.timedelta(days=1)).strftime("%Y-%m-%d") %}
    {% if value > tomorrow %}
        {% do fail(
            none,
            "run_date: " ~ value ~ " has not come yet",
            "Nothing was run.",
            "Allowed is any date up to " ~ tomorrow ~ "."
        ) %}
    {% endif %}
    {% do return(value) %}
{% endmacro %}
