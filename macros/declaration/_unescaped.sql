{% macro _unescaped(text) %}
    {#- dbt takes away line ends at the end of a value, so they are written as in JSON. -#}
    {% if "\\" not in text %}
        {% do return(text) %}
    {% endif %}
    {% do return(fromjson('"' ~ text.replace('"', '\\"') ~ '"')) %}
{% endmacro %}
