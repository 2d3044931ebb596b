{% macro named_relation(name) %}
    {#-
        The table of a model by its name: also where `ref` may not be asked, because nothing waits for the model, or
        because dbt lets a snapshot in YAML name one relation only.
    -#}
    {% set node = graph.nodes.get("model." ~ project_name ~ "." ~ name) %}
    {% if not node %}
        {% for other in graph.nodes.values() if other.resource_type == "model" and other.name == name %}
            {% do return(api.Relation.create(schema=other.schema, identifier=other.alias, type="table")) %}
        {% endfor %}
        {% do dms_snapshots.fail(
            none, "There is no model " ~ name, "Nothing was run.", "Make it: python -m pyspark_dms scaffold"
        ) %}
    {% endif %}
    {% do return(api.Relation.create(schema=node.schema, identifier=node.alias, type="table")) %}
{% endmacro %}
