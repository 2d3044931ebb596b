{% macro staging_node(declared) %}
    {#- The staging model of a table. What is noted in it is there until the command ends. -#}
    {% set name = "stg_" ~ declared.source_name ~ "__" ~ declared.table_name %}
    {% do return(graph.nodes.get("model." ~ project_name ~ "." ~ name, {})) %}
{% endmacro %}
