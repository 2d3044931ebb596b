{% macro point_partition(relation, values, location) %}
    {#- Two statements, because Spark has none that does both; a reader sees the old or the new. -#}
    {% set spec = "partition (" ~ partition_spec(values) ~ ")" %}
    {% set location = "location " ~ sql_string(location) %}
    {% do run_query("alter table " ~ relation ~ " add if not exists " ~ spec ~ " " ~ location) %}
    {% do run_query("alter table " ~ relation ~ " " ~ spec ~ " set " ~ location) %}
{% endmacro %}
