{% macro show_slices(relation, declared, fixed, slices, shown) %}
    {#-
        Makes a table, or one date of it, consist of these slices. `shown` are the slices that it
        consists of now, or none if a dead run may have left it half way.
    -#}
    {% if declared.partition_date %}
        {% do _show_partitions(relation, fixed, slices, shown) %}
    {% elif not fixed %}
        {% do run_query("alter table " ~ relation ~ " set location " ~ sql_string(slices[0].location)) %}
    {% elif shown == [] %}
        {% do add_partitions(relation, [{"values": fixed, "location": slices[0].location}]) %}
    {% else %}
        {% do point_partition(relation, fixed, slices[0].location) %}
    {% endif %}
{% endmacro %}
