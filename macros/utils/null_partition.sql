{% macro null_partition() %}
    {#- What Hive, Glue and every reader of theirs call the partition of NULL. -#}
    {%- do return("__HIVE_DEFAULT_PARTITION__") -%}
{% endmacro %}
