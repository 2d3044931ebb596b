{% macro loads_rise_sql(declared, plan) %}
    {#-
        Whether the keys of a full load rise within each file and no two files overlap, as staging
        has seen: then no key is there twice, and ten million need not be compared.
    -#}
with parts as (

    select
        first_key is not null as is_known,
        {{ key_from_json(declared, "first_key") }} as first_key,
        {{ key_from_json(declared, "last_key") }} as last_key
    from {{ ref("dms_staged_files") }}
    where
        {{ staged_filter(declared, plan.base) }}
        and generation = {{ plan.staged.generation }}
        and kind = 'load'
        and row_count > 0

),

ordered as (

    select
        is_known,
        first_key,
        lag(last_key) over (order by first_key) as key_before
    from parts

)

select
    coalesce(bool_and(is_known and (key_before is null or key_before < first_key)), true) as rise
from ordered
{% endmacro %}
