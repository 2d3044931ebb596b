{% macro partition_name_sql(value) %}
    {#- How manifests and folders call a partition. -#}
    {%- do return("coalesce(cast(" ~ value ~ " as string), " ~ sql_string(null_partition()) ~ ")") -%}
{% endmacro %}
