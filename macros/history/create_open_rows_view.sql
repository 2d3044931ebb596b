{% macro create_open_rows_view(name, history, base, relation, version) %}
    {#- The rows that were open after the run before, from its files. -#}
    {% set columns = history.declared.columns + history.columns %}
    {% if base %}
        {% do create_files_view(name, columns, base.open, history.declared, relation, version) %}
    {% else %}
        {% call statement("open_rows") %}
            create or replace temporary view {{ sql_name(name) }} as
            select
                {% for column in columns %}cast(null as {{ column.data_type }}) as {{ sql_name(column.name) }}{{ ", " if not loop.last }}{% endfor %}
            where false
        {% endcall %}
    {% endif %}
{% endmacro %}
