{% macro passing_test_sql() %}
    {#- What dbt takes for a data test that found nothing; Spark has no job for it. -#}
    {%- do return("select 0 as failures, false as should_warn, false as should_error") -%}
{% endmacro %}
