{% macro matched_counts_sql(before, latest, declared) -%}
with latest as (

    select * from {{ latest }}

),

existing as (

    select
        {{ dms_snapshots.partition_sql(declared, "before") }} as partition,
        {{ "latest._dms_op" if declared.primary_keys else "cast(null as string)" }} as next_op
    from {{ before }} as before
    {% if declared.primary_keys %}
    left join latest on {{ dms_snapshots.keys_match(declared, "before", "latest") }}
    {% endif %}

)

select
    {{ dms_snapshots.partition_name_sql("partition") }} as partition,
    count(*) as rows_found,
    count_if(next_op <> 'D') as rows_updated,
    count_if(next_op = 'I') as rows_reinserted,
    count_if(next_op = 'D') as rows_deleted
from existing
group by partition
{% endmacro %}
