{% macro gates_of(relation) %}
    {% set found = [] %}
    {% for node in graph.nodes.values() if node.resource_type == "test" and node.config.meta.get("gate") and node.attached_node %}
        {% if graph.nodes[node.attached_node].alias == relation.identifier %}{% do found.append(node) %}{% endif %}
    {% endfor %}
    {% do return(found | sort(attribute="name")) %}
{% endmacro %}
