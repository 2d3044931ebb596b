{% macro sql_name(name) %}
    {%- do return("`" ~ (name | string | replace("`", "``")) ~ "`") -%}
{% endmacro %}
