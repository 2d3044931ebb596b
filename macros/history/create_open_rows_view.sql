{% macro create_open_rows_view(name, history, base) %}
    {#- The rows that were open after the run before, from its files. -#}
    {% set columns = history.declared.columns + history.columns %}
    {% call statement("open_rows") %}
        {% if base %}
            create or replace temporary view {{ sql_name(name) }} ({{ column_definitions(columns) }})
            using parquet options (path {{ sql_string(base.open) }})
        {% else %}
            create or replace temporary view {{ sql_name(name) }} as
            select
                {% for column in columns %}cast(null as {{ column.data_type }}) as {{ sql_name(column.name) }}{{ ", " if not loop.last }}{% endfor %}
            where false
        {% endif %}
    {% endcall %}
{% endmacro %}
