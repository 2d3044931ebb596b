{% test one_row_per_key(model, keys) %}
{#- Keys of the newest date that stand in two rows, or have NULL in a part. -#}
select
    snapshot_date,
    {{ column_names(keys) }},
    count(*) as row_count
from {{ model }}
where snapshot_date = {{ newest_run_date_sql(model) }}
group by snapshot_date, {{ column_names(keys) }}
having
    count(*) > 1
    {% for key in keys %}
        or {{ sql_name(key) }} is null
    {% endfor %}
{% endtest %}
