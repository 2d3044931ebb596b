{% macro create_table(relation, columns, partitions, location, clauses="") -%}
    {% call statement("create") %}
        begin
            declare exit handler for table_or_view_already_exists begin end;
            create table if not exists {{ relation }} ({{ dms_snapshots.column_definitions(columns) }})
            using parquet
            {% if partitions %}partitioned by ({{ dms_snapshots.column_names(partitions) }}){% endif %}
            location {{ dms_snapshots.sql_string(location) }}
            {{ clauses }};
        end
    {% endcall %}
{% endmacro %}
