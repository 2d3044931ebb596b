{% macro is_ours(node) %}
    {% set kinds = dms_snapshots.dms_materializations() %}
    {% if node.package_name == "dms_snapshots" or node.config.materialized in kinds %}
        {% do return(true) %}
    {% elif node.resource_type == "test" and node.attached_node %}
        {% do return(graph.nodes.get(node.attached_node, {}).get("config", {}).materialized in kinds) %}
    {% endif %}
    {% do return(node.resource_type == "snapshot" and dms_snapshots.is_history(node)) %}
{% endmacro %}


{% macro dms_materializations() %}
    {% do return(["dms_index", "dms_log", "dms_staging", "dms_snapshot", "dms_feed"]) %}
{% endmacro %}
