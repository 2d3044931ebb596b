{% macro staged_files_sql(declared, base) %}
    {#-
        What is staged for this date, by what it was staged on: this base or another one. Of this base
        only the newest generation counts.
    -#}
with staged as (

    select
        *,
        base_version <=> {{ base.version if base else "null" }} as is_on_base
    from {{ ref("dms_staged_files") }}
    where
        {{ table_filter(declared) }}
        and run_date = date'{{ run_date() }}'

)

select
    is_on_base,
    generation,
    count_if(kind = 'load') as load_files,
    coalesce(bool_or(kind = 'load' and {{ begins_a_load_sql("path") }}), false) as has_first_load_file,
    coalesce(sum(row_count) filter (where kind = 'load'), 0) as load_rows,
    max(staged_in) as staged_in,
    min(file_seq) as first_file_seq,
    max(file_seq) as last_file_seq
from staged
{% if base %}where not is_on_base or generation >= {{ base.generation }}{% endif %}
group by is_on_base, generation
{% endmacro %}
