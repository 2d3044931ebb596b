{% macro merge_sql(before, latest, declared, broadcast=true, parted=false) -%}
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
