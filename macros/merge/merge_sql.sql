{% macro merge_sql(before, latest, declared, broadcast=true, parted=false) %}
    {#-
        The state after the changes: what no change touches, and the newest row of each key that
        is not deleted. The state before is never shuffled while the changed keys are broadcast.
        `parted`: also the rows that are taken out, told from the others by `dms_part`.
    -#}
select
    {{ dms_snapshots.column_names(declared.columns, "before") }}
    {% if parted -%}
    , if(latest.{{ dms_snapshots.sql_name(declared.primary_keys[0]) }} is null, 'rows', 'replaced') as dms_part
    {%- endif %}
from {{ before }} as before
{% if declared.primary_keys %}
{{ "left join" if parted else "left anti join" }} (
    select {{ "/*+ broadcast(changed) */" if broadcast }} {{ dms_snapshots.column_names(declared.primary_keys) }}
    from {{ latest }} as changed
) as latest
    on {{ dms_snapshots.keys_match(declared, "before", "latest") }}
{% endif %}

union all

select
    {{ dms_snapshots.column_names(declared.columns) }}
    {{ ", 'rows' as dms_part" if parted }}
from {{ latest }}
where _dms_op <> 'D'
{% endmacro %}
