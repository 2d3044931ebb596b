{% macro _read_keys(written, keys, prefix="") %}
    {#- A mapping of keys: its values with the defaults of the others (`filled`), and what is wrong (`problems`). -#}
    {% set filled, problems = {}, [] %}
    {% for key in written if key not in keys %}
        {% do problems.append("unknown key " ~ prefix ~ key ~ "; allowed are " ~ keys.keys() | sort | join(", ")) %}
    {% endfor %}
    {% for key, rule in keys.items() %}
        {% set value = written.get(key, rule.get("default")) %}
        {% if rule.kind == "characters" and value is string and "\\" in value %}
            {#- dbt removes line ends at the end of a value, so they are written as in JSON. -#}
            {% set value = fromjson('"' ~ value.replace('"', '\\"') ~ '"') %}
        {% endif %}
        {% set allowed = _allowed_value(value, rule) if key in written %}
        {% if allowed %}
            {% do problems.append("key " ~ prefix ~ key ~ " is " ~ tojson(written[key]) ~ "; allowed is " ~ allowed) %}
        {% elif rule.required and key not in written %}
            {% do problems.append("key " ~ prefix ~ key ~ " is missing") %}
        {% elif rule.kind == "keys" %}
            {% set inner = _read_keys(value, rule["keys"], prefix ~ key ~ ".") %}
            {% set value = inner.filled %}
            {% do problems.extend(inner.problems) %}
        {% endif %}
        {% do filled.update({key: value}) %}
    {% endfor %}
    {% do return({"filled": filled, "problems": problems}) %}
{% endmacro %}
