{% macro staged_file_count(declared) %}
    {#- How many files the staging of this command has taken; none if it is not run with it. -#}
    {% do return(staging_node(declared).get("staged_file_count")) %}
{% endmacro %}
