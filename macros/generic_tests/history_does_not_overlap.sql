{% test history_does_not_overlap(model, keys) %}
{#- Rows of a key that hold at one time. The first `dbt snapshot` makes the table; until then there are none. -#}
{% if not load_relation(model) %}
    {% do return("select 1 as no_history where false") %}
{% endif %}
with in_order as (

    select
        {{ column_names(keys) }},
        dbt_valid_from,
        dbt_valid_to,
        lead(dbt_valid_from) over (partition by {{ column_names(keys) }} order by dbt_valid_from) as next_valid_from
    from {{ model }}

)

select * from in_order
where
    dbt_valid_from is null
    or dbt_valid_from >= dbt_valid_to
    or next_valid_from < coalesce(dbt_valid_to, timestamp'9999-12-31')
{% endtest %}
