{% macro with_warnings(message) %}
    {% do return(([message] + graph.nodes[model.unique_id].get("warnings", [])) | join("; warning: ")) %}
{% endmacro %}
