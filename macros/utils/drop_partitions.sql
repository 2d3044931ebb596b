{% macro drop_partitions(relation, partitions) %}
    {#- The tables are external: files stay. -#}
    {% for some in partitions | batch(1000) %}
        {% set parts = [] %}
        {% for values in some %}{% do parts.append("partition (" ~ partition_spec(values) ~ ")") %}{% endfor %}
        {% do run_query("alter table " ~ relation ~ " drop if exists " ~ parts | join(", ")) %}
    {% endfor %}
{% endmacro %}
