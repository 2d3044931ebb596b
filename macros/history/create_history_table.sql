{% macro create_history_table(relation, history) %}
    {% call statement("create") %}
        create table if not exists {{ relation }} (
            {{ column_definitions(history.declared.columns + history.columns + [closed_on_column()]) }}
        )
        using parquet
        partitioned by ({{ closed_on_column().name }})
        location {{ sql_string(new_table_location(relation)) }}
        {{ comment_clause() }}
    {% endcall %}
{% endmacro %}
