{% macro table_versions(declared) %}
    {#- The numbers of all versions of a table, oldest first, from the metastore alone. -#}
    {% set fixed = {"source_name": declared.source_name, "table_name": declared.table_name} %}
    {% do return(
        list_partitions(named_relation("snapshot_versions"), fixed) | map(attribute="version") | map("int") | sort
    ) %}
{% endmacro %}
