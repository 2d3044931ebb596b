{% macro declared_as_sql(declared) -%}
    {#- The names by which rows are read and told apart, for the ledger and the log of staged files. -#}
    {%- set columns = [] -%}
    {%- for column in declared.columns -%}{%- do columns.append(sql_string(column.name)) -%}{%- endfor -%}
    array({{ columns | join(", ") }}) as column_names,
    cast(array({% for key in declared.primary_keys %}{{ sql_string(key) }}{{ ", " if not loop.last }}{% endfor %}) as array<string>) as primary_keys
{%- endmacro %}
