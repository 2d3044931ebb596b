{% macro date_list(dates) %}
    {% set listed = [] %}
    {% for date, version in dates.items() | sort %}
        {% do listed.append({"run_date": date, "version": version}) %}
    {% endfor %}
    {% do return(listed) %}
{% endmacro %}
