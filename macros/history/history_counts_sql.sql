{% macro history_counts_sql(rows, history) %}
select
    count(distinct {{ column_names(history.declared.primary_keys) }}) as changed_keys,
    count_if({{ sql_name(history.names.dbt_valid_to) }} is not null) as closed_rows,
    count_if({{ sql_name(history.names.dbt_valid_to) }} is null) as open_rows
from parquet.{{ sql_name(rows) }}
{% endmacro %}
