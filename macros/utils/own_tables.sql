{% macro own_tables(schema) %}
    {% set names = [] %}
    {% for node in graph.get("nodes", {}).values() if node.schema == schema and (
        node.config.materialized in dms_snapshots.dms_materializations()
        or node.resource_type == "snapshot" and dms_snapshots.is_history(node)
    ) %}
        {% do names.append(node.alias | lower) %}
        {% if node.config.materialized == "dms_snapshot" %}
            {% for beside in ["current", "changes"] %}
                {% do names.append(modules.re.sub("_snapshot$", "", node.alias | lower) ~ "_" ~ beside) %}
            {% endfor %}
        {% endif %}
    {% endfor %}
    {% do return(names) %}
{% endmacro %}
