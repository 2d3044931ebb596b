{% macro date_list(dates) %}
    {#- Dates with the versions that they show, as a manifest has them. -#}
    {% set listed = [] %}
    {% for date, version in dates.items() | sort %}
        {% do listed.append({"run_date": date, "version": version}) %}
    {% endfor %}
    {% do return(listed) %}
{% endmacro %}
