{% macro _listed_until() %}
    {#-
        Per table the path behind which to list. By default none: everything is listed, so that no
        file is too late to be seen. The variable late_file_days trades that for a shorter listing.
    -#}
    {% set existing = load_relation(this) %}
    {% if existing is none or var("late_file_days", none) is none %}
        {% do return({}) %}
    {% endif %}
    {% set rows = query_rows(listed_until_sql(existing, var("late_file_days"))) %}
    {% set result = {} %}
    {% for row in rows %}
        {% do result.update({row.source_name ~ "." ~ row.table_name: row.path}) %}
    {% endfor %}
    {% do return(result) %}
{% endmacro %}
