{% macro append_partition(relation, root, values, sql, before) %}
    {#-
        Adds rows to a log as a partition of their own: written to a fresh folder, then shown by
        one statement. A run that dies between leaves a folder that nothing refers to, and so does
        one that has nothing to add: every reader would have to open its partition for ever.
        Adds nothing and returns false if the log has other partitions than before.
    -#}
    {% set location = root ~ "/" ~ values.values() | join("/") %}
    {% call statement("append") %}
        insert overwrite directory {{ sql_string(location) }} using parquet
        {{ sql }}
    {% endcall %}
    {% if query_rows("select 1 as found from parquet." ~ sql_name(location) ~ " limit 1") %}
        {% if list_partitions(relation) != before %}{% do return(false) %}{% endif %}
        {% do add_partitions(relation, [{"values": values, "location": location}]) %}
    {% endif %}
    {% do return(true) %}
{% endmacro %}
