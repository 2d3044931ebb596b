{% macro load_place_sql(path) %}
    {#- Each folder, and each segment in it, has a full load file of its own with the counter 1. -#}
    {%- do return("regexp_replace(" ~ path ~ ", '(?i)LOAD[0-9A-F]+[.][^/]*$', '')") -%}
{% endmacro %}
