{% macro passing_test_sql() %}
    {%- do return("select 0 as failures, false as should_warn, false as should_error") -%}
{% endmacro %}


{% macro no_failing_rows_sql() %}
    {%- do return("select 1 as passed_before where false") -%}
{% endmacro %}
