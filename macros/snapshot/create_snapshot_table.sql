{% macro create_snapshot_table(relation, declared, root) %}
    {% set partitions = layout_partitions(declared, dated=true) %}
    {% call statement("create") %}
        create table if not exists {{ relation }} ({{ column_definitions(declared.columns + partitions) }})
        using parquet
        {% if partitions %}partitioned by ({{ column_names(partitions) }}){% endif %}
        location {{ sql_string(root) }}
        {{ comment_clause() }}
        tblproperties ('dms.layout' = {{ sql_string(layout(declared)) }}, 'dms.root' = {{ sql_string(root) }})
    {% endcall %}
{% endmacro %}
