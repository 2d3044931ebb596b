{% test one_row_per_key(model, keys) %}
{#- Keys of the newest state that stand in two rows, or have NULL in a part. -#}
select
    {{ column_names(keys) }},
    count(*) as row_count
from {{ model }}
where {{ newest_rows_filter(model) }}
group by {{ column_names(keys) }}
having
    count(*) > 1
    {% for key in keys %}
        or {{ sql_name(key) }} is null
    {% endfor %}
{% endtest %}
