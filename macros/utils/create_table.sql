{% macro create_table(relation, columns, partitions, location, clauses="") %}
    {#-
        Also if another session of the same server makes it at the same moment: Spark 4.0 then
        fails in spite of "if not exists".
    -#}
    {% call statement("create") %}
        begin
            declare exit handler for table_or_view_already_exists begin end;
            create table if not exists {{ relation }} ({{ column_definitions(columns) }})
            using parquet
            {% if partitions %}partitioned by ({{ column_names(partitions) }}){% endif %}
            location {{ sql_string(location) }}
            {{ clauses }};
        end
    {% endcall %}
{% endmacro %}
