{% macro no_rows_sql(columns) -%}
select
    {% for column in columns %}
    cast(null as {{ column.data_type }}) as {{ dms_snapshots.sql_name(column.name) }}{{ "," if not loop.last }}
    {% else %}
    null as not_parsed_yet
    {% endfor %}
where false
{% endmacro %}
