{% macro merge_sql(before, latest, declared, broadcast=true) %}
    {#-
        The state after the changes: what no change touches, and the newest row of each key that
        is not deleted. The state before is never shuffled while the changed keys are broadcast.
    -#}
select {{ column_names(declared.columns, "before") }}
from {{ before }} as before
{% if declared.primary_keys %}
left anti join (
    select {{ "/*+ broadcast(changed) */" if broadcast }} {{ column_names(declared.primary_keys) }}
    from {{ latest }} as changed
) as latest
    on {{ keys_match(declared, "before", "latest") }}
{% endif %}

union all

select {{ column_names(declared.columns) }}
from {{ latest }}
where _dms_op <> 'D'
{% endmacro %}
