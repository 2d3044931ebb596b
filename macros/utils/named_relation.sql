{% macro named_relation(name) %}
    {#- The table of a model where `ref` would say too much, or may not be asked: nothing waits for it. -#}
    {% for node in graph.nodes.values() if node.resource_type == "model" and node.name == name %}
        {% do return(api.Relation.create(schema=node.schema, identifier=node.alias, type="table")) %}
    {% endfor %}
    {% do exceptions.raise_compiler_error("There is no model " ~ name ~ ". Make it with python -m pyspark_dms scaffold.") %}
{% endmacro %}
