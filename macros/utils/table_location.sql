{% macro table_location(relation) %}
    {% for row in run_query("describe extended " ~ relation).rows %}
        {% if row[0] == "Location" %}{% do return(row[1]) %}{% endif %}
    {% endfor %}
    {% do exceptions.raise_compiler_error(relation ~ " has no location in the metastore; is it a view? Drop or rename it.") %}
{% endmacro %}
