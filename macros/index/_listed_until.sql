{% macro _listed_until() %}
    {#- Per table the path behind which to list: not the newest, so that late files are seen. -#}
    {% set existing = load_relation(this) %}
    {% if existing is none %}
        {% do return({}) %}
    {% endif %}
    {% set rows = query_rows(listed_until_sql(existing, var("late_file_days", 3))) %}
    {% set result = {} %}
    {% for row in rows %}
        {% do result.update({row.source_name ~ "." ~ row.table_name: row.path}) %}
    {% endfor %}
    {% do return(result) %}
{% endmacro %}
