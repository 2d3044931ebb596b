{% macro staged_files_sql(declared, base) %}
    {#- What this run staged of the newest generation; older ones no longer count. -#}
with staged as (

    select *
    from {{ ref("dms_staged_files") }}
    where {{ staged_filter(declared, base) }}

)

select
    generation,
    count_if(kind = 'load') as load_files,
    coalesce(sum(row_count) filter (where kind = 'load'), 0) as load_rows,
    max(staged_in) as staged_in,
    min(file_seq) as first_file_seq,
    max(file_seq) as last_file_seq
from staged
{% if base %}where generation >= {{ base.generation }}{% endif %}
group by generation
order by generation
{% endmacro %}
