{% macro table_location(relation) %}
    {% set location = described_table(relation).location %}
    {% if not location %}
        {% do exceptions.raise_compiler_error(
            relation ~ " has no location in the metastore; is it a view? Drop or rename it."
        ) %}
    {% endif %}
    {% do return(location) %}
{% endmacro %}
