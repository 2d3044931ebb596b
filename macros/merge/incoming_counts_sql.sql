{% macro incoming_counts_sql(latest, declared) -%}
with incoming as (

    select
        {{ "_dms_partition" if declared.partition_date else "cast(null as string)" }} as partition,
        _dms_op,
        {{ "false" if not declared.primary_keys }}
            {%- for key in declared.primary_keys -%}
                {{ " or " if not loop.first }}{{ dms_snapshots.sql_name(key) }} is null
            {%- endfor %} as has_null_key
    from {{ latest }}

)

select
    partition,
    count(*) as changed_keys,
    count_if(_dms_op <> 'D') as live_keys,
    count_if(_dms_op <> 'I') as not_inserts,
    count_if(has_null_key) as null_keys
from incoming
group by partition
{% endmacro %}
