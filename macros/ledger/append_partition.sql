{% macro append_partition(relation, values, sql) %}
    {#-
        Adds rows to a log as a partition of their own: written to a fresh folder, then shown by
        one statement. A run that dies between leaves a folder that nothing refers to.
    -#}
    {% set location = table_location(relation) ~ "/" ~ values.values() | join("/") %}
    {% call statement("append") %}
        insert overwrite directory {{ sql_string(location) }} using parquet
        {{ sql }}
    {% endcall %}
    {% do run_query(
        "alter table " ~ relation ~ " add if not exists partition (" ~ partition_spec(values) ~ ") location " ~ sql_string(location)
    ) %}
{% endmacro %}
