{% macro partition_name_sql(value) %}
    {%- do return("coalesce(cast(" ~ value ~ " as string), '__HIVE_DEFAULT_PARTITION__')") -%}
{% endmacro %}
