{% test history_does_not_overlap(model, keys, valid_from="dbt_valid_from", valid_to="dbt_valid_to") -%}
{% if not load_relation(model) %}
    {% do return("select 1 as no_history where false") %}
{% endif %}
with in_order as (

    select
        {{ dms_snapshots.column_names(keys) }},
        {{ dms_snapshots.sql_name(valid_from) }} as valid_from,
        {{ dms_snapshots.sql_name(valid_to) }} as valid_to,
        lead({{ dms_snapshots.sql_name(valid_from) }}) over (
            partition by {{ dms_snapshots.column_names(keys) }}
            order by {{ dms_snapshots.sql_name(valid_from) }}
        ) as next_valid_from
    from {{ model }}

)

select * from in_order
where
    valid_from is null
    or valid_from >= valid_to
    or next_valid_from < coalesce(valid_to, timestamp'9999-12-31')
{% endtest %}
