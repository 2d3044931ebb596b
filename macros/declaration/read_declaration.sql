{% macro read_declaration(source_node) %}
    {#- A copy, because a model adds the columns that were appended to its table. -#}
    {% set declared = dms_snapshots.declarations().tables[source_node.unique_id] %}
    {% do return(dict(declared, columns=declared.columns | list)) %}
{% endmacro %}
