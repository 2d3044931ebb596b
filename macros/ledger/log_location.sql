{% macro log_location(name) %}
    {#- It stays while a command lasts, so it is asked once and not for each table. -#}
    {% set node = log_node(name) %}
    {% if "log_location" not in node %}{% do node.update({"log_location": table_location(ref(name))}) %}{% endif %}
    {% do return(node.log_location) %}
{% endmacro %}
