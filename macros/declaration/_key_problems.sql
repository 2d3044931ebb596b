{% macro _key_problems(written) %}
    {% set problems = [] %}
    {% set keys = dms_keys() %}
    {% for key in written if key not in keys %}
        {% do problems.append("unknown key " ~ key ~ "; allowed are " ~ keys.keys() | sort | join(", ")) %}
    {% endfor %}
    {% for key, rule in keys.items() %}
        {% if key not in written %}
            {% if rule.get("required") %}{% do problems.append("key " ~ key ~ " is missing") %}{% endif %}
        {% else %}
            {% set value = written[key] %}
            {% set allowed = _allowed_value(value, rule) %}
            {% if allowed %}
                {% do problems.append("key " ~ key ~ " is " ~ tojson(value) ~ "; allowed is " ~ allowed) %}
            {% endif %}
        {% endif %}
    {% endfor %}
    {% do return(problems) %}
{% endmacro %}
