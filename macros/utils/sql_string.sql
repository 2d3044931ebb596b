{% macro sql_string(text) %}
    {%- do return("'" ~ (text | string | replace("\\", "\\\\") | replace("'", "\\'")) ~ "'") -%}
{% endmacro %}
