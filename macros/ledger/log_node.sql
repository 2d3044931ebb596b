{% macro log_node(name) %}
    {#- The model of a log table. What is noted in it is there until the command ends. -#}
    {% do return(graph.nodes["model." ~ project_name ~ "." ~ name]) %}
{% endmacro %}
