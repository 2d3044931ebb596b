{% macro package_version() %}
    {%- do return("0.1.0") -%}
{% endmacro %}
