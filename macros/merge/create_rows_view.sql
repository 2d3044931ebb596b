{% macro create_rows_view(name, declared, root, partitions, written_as=none, version=none) %}
    {#- The rows of some partitions, read from their files; no rows if there are none. -#}
    {% if partitions %}
        {% do create_files_view(
            name, declared.columns, partitions_path(root, partitions), declared, written_as, version
        ) %}
    {% else %}
        {% set columns = {} %}
        {% for column in declared.columns %}{% do columns.update({column.name: column}) %}{% endfor %}
        {% do run_query("create or replace temporary view " ~ sql_name(name) ~ " as " ~ no_rows_sql(columns)) %}
    {% endif %}
{% endmacro %}
