{% macro table_files_sql(source_name, table_name) %}
select * from {{ ref("dms_files") }}
where source_name = {{ sql_string(source_name) }} and table_name = {{ sql_string(table_name) }}
{%- endmacro %}
