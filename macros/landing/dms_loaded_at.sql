{% macro dms_loaded_at() %}
    {#- For loaded_at_query: the time of the newest file of a source table, from the index alone. -#}
select max(coalesce(file_time, modified_at))
from {{ target.schema }}.dms_files
where
    source_name = {{ sql_string(this.schema) }}
    and table_name = {{ sql_string(this.identifier) }}
    and kind in ('load', 'cdc')
{% endmacro %}
