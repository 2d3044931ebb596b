{% macro _folded_images_sql(changes, declared) %}
    {#-
        The row of each key when changes may lack columns: each column from the newest change that
        carries it, but neither from the newest delete nor from any before.
    -#}
with ranked as (

    {{ ranked_changes_sql(changes, declared) }}

),

since_delete as (

    select
        *,
        min(if(_dms_op = 'D', _dms_rank, null)) over (partition by {{ column_names(declared.primary_keys) }}) as _dms_delete_rank
    from ranked

)

select
    {% for column in declared.columns %}
        {% set name = sql_name(column.name) %}
        {% if column.name in declared.primary_keys %}
            {{ name }},
        {% else %}
            (min_by(struct({{ name }}), _dms_rank) filter (
                where _dms_op <> 'D' and not array_contains(coalesce(_dms_absent, array()), {{ sql_string(column.name) }})
            )).{{ name }} as {{ name }},
        {% endif %}
    {% endfor %}
    min_by(_dms_op, _dms_rank) as _dms_op,
    min_by(_dms_file_seq, _dms_rank) as _dms_file_seq,
    min_by(_dms_row, _dms_rank) as _dms_row
from since_delete
where _dms_delete_rank is null or _dms_rank <= _dms_delete_rank
group by {{ column_names(declared.primary_keys) }}
{% endmacro %}
