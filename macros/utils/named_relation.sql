{% macro named_relation(name) %}
    {% set node = dms_snapshots.named_model(name) %}
    {% if not node %}
        {% do dms_snapshots.fail(
            "E114", none, "There is no model " ~ name, "Nothing was run.", "Make it: dms-snapshots scaffold"
        ) %}
    {% endif %}
    {% do return(api.Relation.create(schema=node.schema, identifier=node.alias, type="table")) %}
{% endmacro %}


{% macro named_model(name) %}
    {% set own, of_project = "model.dms_snapshots." ~ name, "model." ~ project_name ~ "." ~ name %}
    {% set node = graph.nodes.get(own) or graph.nodes.get(of_project) %}
    {% if not node %}
        {% for other in graph.nodes.values() if other.resource_type == "model" and other.name == name %}
            {% do return(other) %}
        {% endfor %}
    {% endif %}
    {% do return(node) %}
{% endmacro %}


{% macro is_full_refresh(table_name) %}
    {% set own = ((dms_snapshots.named_model(table_name ~ "_snapshot") or {}).get("config") or {}).full_refresh %}
    {% do return(flags.FULL_REFRESH if own is undefined or own is none else own) %}
{% endmacro %}
