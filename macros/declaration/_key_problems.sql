{% macro _key_problems(written, keys, prefix="") %}
    {% set problems = [] %}
    {% for key in written if key not in keys %}
        {% do problems.append("unknown key " ~ prefix ~ key ~ "; allowed are " ~ keys.keys() | sort | join(", ")) %}
    {% endfor %}
    {% for key, rule in keys.items() %}
        {% if key not in written %}
            {% if rule.get("required") %}{% do problems.append("key " ~ prefix ~ key ~ " is missing") %}{% endif %}
        {% else %}
            {% set value = written[key] %}
            {% set allowed = _allowed_value(value, rule) %}
            {% if allowed %}
                {% do problems.append("key " ~ prefix ~ key ~ " is " ~ tojson(value) ~ "; allowed is " ~ allowed) %}
            {% elif rule.kind == "keys" %}
                {% do problems.extend(_key_problems(value, rule["keys"], prefix ~ key ~ ".")) %}
            {% endif %}
        {% endif %}
    {% endfor %}
    {% do return(problems) %}
{% endmacro %}
