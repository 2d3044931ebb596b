{% macro loads_left_sql(files_sql, published, generation) %}
    {#- Files that are there of the full loads between two, as they were last noted. -#}
with last_noted as (

    select
        path,
        max_by(struct(kind, generation), indexed_at) as noted
    from ({{ files_sql }})
    where kind in ('load', 'vanished', 'returned')
    group by path
    having bool_or(kind = 'load')

)

select path
from last_noted
where
    noted.kind <> 'vanished'
    and noted.generation > {{ published }}
    and noted.generation < {{ generation }}
order by path
{% endmacro %}
