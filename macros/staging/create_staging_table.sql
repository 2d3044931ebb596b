{% macro create_staging_table(relation, declared) %}
    {% call statement("create") %}
        create table if not exists {{ relation }} (
            {{ column_definitions(declared.columns) }},
            {{ column_definitions(staging_columns()) }}
        )
        using parquet
        partitioned by (_dms_run_date)
        location {{ sql_string(new_table_location(relation)) }}
        {{ comment_clause() }}
    {% endcall %}
{% endmacro %}
