{% macro changes_of_loads_sql(files_sql, declared, first, last) %}
{#- The change files that were taken with the full loads of some generations, and how often each was uploaded. -#}
select
    path,
    count(*) as upload_count
from ({{ files_sql }})
where
    kind = 'cdc'
    and generation between {{ first }} and {{ last }}
    and file_time < date_add(date'{{ run_date() }}', 1)
    {% if declared.cdc_start_date %}and file_time >= date'{{ declared.cdc_start_date }}'{% endif %}

group by path
{% endmacro %}
