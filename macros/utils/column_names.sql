{% macro column_names(columns, prefix=none) %}
    {%- set names = [] -%}
    {%- for column in columns -%}
        {%- set name = column if column is string else column.name -%}
        {%- do names.append((prefix ~ "." if prefix else "") ~ sql_name(name)) -%}
    {%- endfor -%}
    {%- do return(names | join(", ")) -%}
{% endmacro %}
