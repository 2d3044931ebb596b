{% macro column_definitions(columns) %}
    {%- for column in columns -%}
        {{ sql_name(column.name) }} {{ column.data_type }}
        {%- if column.description %} comment {{ sql_string(column.description) }}{% endif -%}
        {{ ", " if not loop.last }}
    {%- endfor -%}
{% endmacro %}
