{% macro column_definitions(columns) %}
    {%- for column in columns -%}
        {{ sql_name(column.name) }} {{ column.data_type }}
        {%- if column_comment(column) %} comment {{ sql_string(column_comment(column)) }}{% endif -%}
        {{ ", " if not loop.last }}
    {%- endfor -%}
{% endmacro %}
