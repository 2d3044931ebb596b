{% macro partition_name_sql(value) %}
    {#- How manifests and folders call a partition; NULL as Hive, Glue and every reader of theirs do. -#}
    {%- do return("coalesce(cast(" ~ value ~ " as string), '__HIVE_DEFAULT_PARTITION__')") -%}
{% endmacro %}
