{% macro written_slices_sql(declared, location) %}
    {#- The slices that were written to a folder, counted from their files; one that was emptied has none. -#}
select
    {{ slice_name_sql("partition_date") if declared.partition_date else "cast(null as string)" }} as slice,
    count(*) as rows
from parquet.{{ sql_name(location) }}
{% if declared.partition_date %}
group by partition_date
{% endif %}
{% endmacro %}
