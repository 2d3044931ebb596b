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


{% macro create_log_table(relation, node, location) %}
    {% do dms_snapshots.create_table(
        relation,
        node.columns.values() | list,
        node.config.partition_by,
        location,
        "comment " ~ dms_snapshots.sql_string(node.description.split() | join(" "))
    ) %}
    {% do adapter.cache_added(relation) %}
{% endmacro %}
