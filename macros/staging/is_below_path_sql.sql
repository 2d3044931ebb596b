{% macro is_below_path_sql(declared, path) %}
    {#- What is in another folder was the table's before its path was changed. -#}
    {%- set terms = [] -%}
    {%- for folder in (declared.path, declared.transaction_path) if folder -%}
        {%- do terms.append("startswith(" ~ path ~ ", " ~ sql_string(absolute_path(folder)) ~ ")") -%}
    {%- endfor -%}
    {%- do return("(" ~ terms | join(" or ") ~ ")") -%}
{% endmacro %}
