{% macro find_test(name) %}
    {#- The macro of a generic data test, perhaps with its package (package.name); none if there is none. -#}
    {% set package, test = ("." ~ name).rsplit(".", 1) %}
    {% set macros = context.get(package[1:]) if package else context %}
    {% do return(macros.get("test_" ~ test) if macros is mapping) %}
{% endmacro %}
