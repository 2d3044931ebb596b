{% macro find_test(name) %}
    {% set package, test = ("." ~ name).rsplit(".", 1) %}
    {% set macros = context.get(package[1:]) if package else context %}
    {% do return(macros.get("test_" ~ test) if macros is mapping) %}
{% endmacro %}
