{% macro create_snapshot_table(relation, declared) %}
    {% set partition = {
        "name": "snapshot_date",
        "data_type": "date",
        "description": "The run date whose end this state is of.",
    } %}
    {% call statement("create") %}
        create table if not exists {{ relation }} ({{ column_definitions(declared.columns + [partition]) }})
        using parquet
        partitioned by (snapshot_date)
        location {{ sql_string(new_table_location(relation)) }}
        {{ comment_clause() }}
    {% endcall %}
{% endmacro %}
