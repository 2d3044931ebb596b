{% macro log_node(name) %}
    {#-
        The model of a log table. What is noted in it is there until the command ends: `log_location`; of
        the index also `has_additions`, and `newest`, the greatest version and run_date of its partitions.
    -#}
    {% do return(graph.nodes["model." ~ project_name ~ "." ~ name]) %}
{% endmacro %}
