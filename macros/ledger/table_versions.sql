{% macro table_versions(declared) %}
    {#- Every version of a table, oldest first: run_date and version, from the metastore alone. -#}
    {% set fixed = {"source_name": declared.source_name, "table_name": declared.table_name} %}
    {% do return(list_partitions(ref("snapshot_versions"), fixed) | sort(attribute="run_date,version")) %}
{% endmacro %}
