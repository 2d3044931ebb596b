{% macro is_date(value) %}
    {#- Whether a text is a day of the calendar as YYYY-MM-DD. -#}
    {% if modules.re.match("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", value) %}
        {% set year, month, day = value.split("-") | map("int") %}
        {% if year >= 1 and 1 <= month <= 12 and 1 <= day <= 31 %}
            {% set first = modules.datetime.datetime(year, month, 1) %}
            {% do return((first + modules.datetime.timedelta(days=day - 1)).month == month) %}
        {% endif %}
    {% endif %}
    {% do return(false) %}
{% endmacro %}
