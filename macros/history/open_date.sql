{% macro open_date() %}
    {%- do return("9999-12-31") -%}
{% endmacro %}
