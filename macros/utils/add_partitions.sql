{% macro add_partitions(relation, partitions) %}
    {#- In as few statements as can be; Spark sends them to the metastore by the hundred. -#}
    {% for some in partitions | batch(1000) %}
        {% set parts = [] %}
        {% for partition in some %}
            {% do parts.append("partition (" ~ partition_spec(partition["values"]) ~ ") location " ~ sql_string(partition.location)) %}
        {% endfor %}
        {% do run_query("alter table " ~ relation ~ " add if not exists " ~ parts | join(" ")) %}
    {% endfor %}
{% endmacro %}
