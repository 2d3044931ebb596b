{% macro version_filter(declared, version) %}
    {%- do return(versions_filter(declared, [version])) -%}
{% endmacro %}
