{% macro _partition_folder(location, root, depth) %}
    {#- The folder of a partition, written as that of its table is: the metastore may write the two differently. -#}
    {% do return(root ~ "/" ~ location.split("/")[-depth:] | join("/")) %}
{% endmacro %}
