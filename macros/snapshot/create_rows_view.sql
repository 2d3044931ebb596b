{% macro create_rows_view(name, declared, root, slices) %}
    {#- The rows of some slices, read from their files; no rows if there are none. -#}
    {% if slices %}
        {% do run_query(
            "create or replace temporary view " ~ sql_name(name) ~ " (" ~ column_definitions(declared.columns) ~ ") using parquet options (path "
            ~ sql_string(slices_path(root, slices)) ~ ")"
        ) %}
    {% else %}
        {% set columns = {} %}
        {% for column in declared.columns %}{% do columns.update({column.name: column}) %}{% endfor %}
        {% do run_query("create or replace temporary view " ~ sql_name(name) ~ " as " ~ no_rows_sql(columns)) %}
    {% endif %}
{% endmacro %}
