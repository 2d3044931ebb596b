{% macro point_partition(relation, values, location) %}
    {#- Two statements, because Spark has none that does both; a reader sees the old or the new. -#}
    {% do add_partitions(relation, [{"values": values, "location": location}]) %}
    {% do move_partition(relation, values, location) %}
{% endmacro %}
