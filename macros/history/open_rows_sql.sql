{% macro open_rows_sql(open_rows, written, history) %}
{%- set declared = history.declared %}
{%- set valid_to = history.names.dbt_valid_to %}
{%- set columns = column_names(declared.columns + history.columns) %}
with touched as (

    select * from parquet.{{ sql_name(written.rows) }}

),

all_open as (

    select {{ columns }}
    from {{ open_rows }} as before
    left anti join (
        select {{ "/*+ broadcast(keys) */" if written.changed_keys <= var("broadcast_max_keys", 5000000) }} {{ column_names(declared.primary_keys) }}
        from touched as keys
    ) as touched
        on {{ keys_match(declared, "before", "touched") }}

    union all

    select {{ columns }}
    from touched
    where {{ sql_name(valid_to) }} is null

)

select
    {% for column in declared.columns + history.columns -%}
        {{ "cast(" ~ history.valid_to_current ~ " as timestamp) as " ~ sql_name(valid_to) if column.name == valid_to else sql_name(column.name) }}
        {{- ", " if not loop.last }}
    {% endfor -%}
from all_open
{% endmacro %}
