{% macro read_declaration(source_node) %}
    {% set declared = dms_snapshots.declarations().tables[source_node.unique_id] %}
    {% do return(dict(declared, columns=declared.columns | list)) %}
{% endmacro %}
