{% macro model_relation(name) %}
    {#-
        The table of a model that this one depends on through another: a snapshot in YAML can name
        one relation only, and dbt lets `ref` give no other. Elsewhere it is what `ref` gives.
    -#}
    {% if model is not defined or not model or model.resource_type != "snapshot" %}
        {% do return(ref(name)) %}
    {% endif %}
    {% for node in graph.nodes.values() if node.resource_type == "model" and node.name == name %}
        {% do return(api.Relation.create(schema=node.schema, identifier=node.alias, type="table")) %}
    {% endfor %}
    {% do exceptions.raise_compiler_error("There is no model " ~ name ~ ". Make it with python -m pyspark_dms scaffold.") %}
{% endmacro %}
