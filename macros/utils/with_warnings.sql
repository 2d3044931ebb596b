{% macro with_warnings(message) %}
    {#- The result of a model, and after it what warn_of_table has told. -#}
    {% do return(([message] + graph.nodes[model.unique_id].get("warnings", [])) | join("; warning: ")) %}
{% endmacro %}
