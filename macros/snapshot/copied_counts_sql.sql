{% macro copied_counts_sql(view) %}
    {#- Per slice: how many rows were there, and what becomes of those whose key changes. To read it does the work. -#}
select
    slice,
    sum(rows_found) as rows_found,
    sum(rows_updated) as rows_updated,
    sum(rows_deleted) as rows_deleted
from {{ view }}
group by slice
{% endmacro %}
