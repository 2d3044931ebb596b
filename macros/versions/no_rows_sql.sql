{% macro no_rows_sql(columns) %}
    {#- The query of a log to which other models add; columns are not known while dbt parses. -#}
select
    {% for column in columns.values() %}
    cast(null as {{ column.data_type }}) as {{ sql_name(column.name) }}{{ "," if not loop.last }}
    {% else %}
    null as not_parsed_yet
    {% endfor %}
where false
{% endmacro %}
