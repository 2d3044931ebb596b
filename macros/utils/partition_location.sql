{% macro partition_location(relation, values) %}
    {% do return(described_location(relation ~ " partition (" ~ partition_spec(values) ~ ")")) %}
{% endmacro %}
