{% macro index_node() %}
    {% do return(graph.nodes.get("model.dms_snapshots.dms_files", {})) %}
{% endmacro %}
