{% macro move_partition(relation, values, location) %}
    {% do run_query("alter table " ~ relation ~ " partition (" ~ partition_spec(values) ~ ") set location " ~ sql_string(location)) %}
{% endmacro %}
