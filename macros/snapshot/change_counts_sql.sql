{% macro change_counts_sql(before, latest, declared) %}
    {#-
        Per slice: how many keys change and arrive there, how many rows were there, and what becomes
        of them. From the columns of the key and the business date alone.
    -#}
with latest as (

    select * from {{ latest }}

),

arriving as (

    select
        {{ slice_sql(declared) }} as slice,
        _dms_op,
        {{ "false" if not declared.primary_keys }}
            {%- for key in declared.primary_keys %}{{ " or " if not loop.first }}{{ sql_name(key) }} is null{% endfor %} as has_null_key
    from latest

),

existing as (

    select
        {{ slice_sql(declared, "before") }} as slice,
        {{ "latest._dms_op" if declared.primary_keys else "cast(null as string)" }} as next_op
    from {{ before }} as before
    {% if declared.primary_keys %}
    left join latest on {{ keys_match(declared, "before", "latest") }}
    {% endif %}

),

counted as (

    select
        slice,
        count(*) as changed_keys,
        count_if(_dms_op <> 'D') as live_keys,
        count_if(_dms_op <> 'I') as not_inserts,
        count_if(has_null_key) as null_keys,
        0 as rows_found,
        0 as rows_updated,
        0 as rows_deleted
    from arriving
    group by slice

    union all

    select
        slice,
        0 as changed_keys,
        0 as live_keys,
        0 as not_inserts,
        0 as null_keys,
        count(*) as rows_found,
        count_if(next_op <> 'D') as rows_updated,
        count_if(next_op = 'D') as rows_deleted
    from existing
    group by slice

)

select
    coalesce(cast(slice as string), {{ sql_string(null_partition()) }}) as slice,
    sum(changed_keys) as changed_keys,
    sum(live_keys) as live_keys,
    sum(not_inserts) as not_inserts,
    sum(null_keys) as null_keys,
    sum(rows_found) as rows_found,
    sum(rows_updated) as rows_updated,
    sum(rows_deleted) as rows_deleted
from counted
group by slice
{% endmacro %}
