{% macro partition_location(relation, values) %}
    {% do return(described_table(relation ~ " partition (" ~ partition_spec(values) ~ ")").location) %}
{% endmacro %}
