{% macro partition_location(relation, values) %}
    {% for row in run_query("describe extended " ~ relation ~ " partition (" ~ partition_spec(values) ~ ")").rows if row[0] == "Location" %}
        {% do return(row[1]) %}
    {% endfor %}
{% endmacro %}
