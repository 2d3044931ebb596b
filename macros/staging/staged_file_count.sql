{% macro staged_file_count(declared) %}
    {#-
        How many files the staging of this command has taken; none if the table's staging is not part of
        the command. Where it has found none, nothing is staged on the base, and no log need be asked.
    -#}
    {% do return(staging_node(declared).get("staged_file_count")) %}
{% endmacro %}
