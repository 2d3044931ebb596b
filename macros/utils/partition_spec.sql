{% macro partition_spec(values) %}
    {% set parts = [] %}
    {% for name, value in values.items() %}
        {% do parts.append(sql_name(name) ~ " = " ~ ("null" if value == null_partition() else sql_string(value))) %}
    {% endfor %}
    {% do return(parts | join(", ")) %}
{% endmacro %}
