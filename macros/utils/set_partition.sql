{% macro set_partition(relation, values, location, may_be_there) %}
    {#-
        Makes a partition stand for a folder. Where it should not be there yet, another run may still have added it a
        moment ago; then it is pointed to this folder by the same statement.
    -#}
    {% if may_be_there %}
        {% do add_partitions(relation, [{"values": values, "location": location}]) %}
        {% do move_partition(relation, values, location) %}
        {% do return(none) %}
    {% endif %}
    {% set of_table = "alter table " ~ relation ~ " {} partition (" ~ partition_spec(values) ~ ") {} " ~ sql_string(location) %}
    {% do run_query(
        "begin declare exit handler for partitions_already_exist begin " ~ of_table.format("", "set location") ~ "; end; "
        ~ of_table.format("add", "location") ~ "; end"
    ) %}
{% endmacro %}
