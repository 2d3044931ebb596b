{% macro staged_files_sql(declared, base) %}
    {#- What this run staged of the newest generation; older ones no longer count. -#}
with staged as (

    select *
    from {{ ref("dms_staged_files") }}
    where
        source_name = {{ sql_string(declared.source_name) }}
        and table_name = {{ sql_string(declared.table_name) }}
        and run_date = date'{{ run_date() }}'
        -- Staged on another base: the left-over of an attempt that was never published.
        and base_version <=> {{ sql_string(base.version) if base else "null" }}

)

select
    generation,
    count(*) as file_count,
    coalesce(sum(row_count) filter (where kind = 'load'), 0) as load_rows,
    coalesce(sum(row_count) filter (where kind = 'cdc'), 0) as change_rows,
    min(file_seq) as first_file_seq,
    max(file_seq) as last_file_seq
from staged
{% if base %}where generation >= {{ base.generation }}{% endif %}
group by generation
order by generation
{% endmacro %}
