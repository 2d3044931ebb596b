{% macro slice_name_sql(slice) %}
    {#- How the ledger and the folders call a slice. -#}
    {%- do return("coalesce(cast(" ~ slice ~ " as string), " ~ sql_string(null_partition()) ~ ")") -%}
{% endmacro %}
