{% macro table_properties(relation) %}
    {% set properties = {} %}
    {% for row in run_query("show tblproperties " ~ relation).rows %}
        {% do properties.update({row[0]: row[1]}) %}
    {% endfor %}
    {% do return(properties) %}
{% endmacro %}
