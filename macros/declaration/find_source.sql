{% macro find_source(source_name, table_name) %}
    {% for node in graph.sources.values() if node.source_name == source_name and node.name == table_name %}
        {% do return(node) %}
    {% endfor %}
    {% do exceptions.raise_compiler_error(
        source_name ~ "." ~ table_name ~ " is not declared: write models/sources/"
        ~ source_name ~ "/" ~ table_name ~ ".yml, or remove the stubs of this table."
    ) %}
{% endmacro %}
