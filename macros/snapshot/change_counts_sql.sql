{% macro change_counts_sql(before, latest, declared) %}
    {#- How many keys change, and what becomes of those that existed: from key columns alone. -#}
with latest as (

    select * from {{ latest }}

),

changed as (

    select
        count(*) as changed_keys,
        count_if(_dms_op <> 'D') as live_keys,
        count_if(_dms_op <> 'I') as not_inserts,
        count_if({{ "false" if not declared.primary_keys }}
            {%- for key in declared.primary_keys %}{{ " or " if not loop.first }}{{ sql_name(key) }} is null{% endfor -%}
        ) as null_keys
    from latest

),

existing as (

    select
        {% if declared.primary_keys %}
            count_if(latest._dms_op <> 'D') as rows_updated,
            count_if(latest._dms_op = 'D') as rows_deleted
        from {{ before }} as before
        inner join latest on {{ keys_match(declared, "before", "latest") }}
        {% else %}
            0 as rows_updated,
            0 as rows_deleted
        {% endif %}

)

select *
from changed
cross join existing
{% endmacro %}
