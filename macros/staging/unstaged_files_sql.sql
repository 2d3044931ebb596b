{% macro unstaged_files_sql(files_sql, declared, base, head) %}
with pending as (

    {{ pending_files_sql(files_sql, declared, base, head) }}

),

staged as (

    select
        path,
        etag,
        generation
    from {{ ref("dms_staged_files") }}
    where {{ staged_filter(declared, base) }}

)

select pending.path
from pending
left anti join staged
    on pending.path = staged.path and pending.etag = staged.etag and pending.generation = staged.generation
where pending.kind in ('load', 'cdc')
limit 1
{% endmacro %}
