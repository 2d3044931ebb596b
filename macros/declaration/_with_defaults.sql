{% macro _with_defaults(written, keys) %}
    {% set filled = {} %}
    {% for key, rule in keys.items() %}
        {% set value = written.get(key, rule.get("default")) %}
        {% if rule.kind == "keys" and value is mapping %}
            {% set value = _with_defaults(value, rule["keys"]) %}
        {% elif rule.kind == "characters" and value is string %}
            {% set value = _unescaped(value) %}
        {% endif %}
        {% do filled.update({key: value}) %}
    {% endfor %}
    {% do return(filled) %}
{% endmacro %}
