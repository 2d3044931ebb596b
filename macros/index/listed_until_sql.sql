{% macro listed_until_sql(relation, late_file_days) %}
with newest as (

    select
        source_name,
        table_name,
        max(file_time) as file_time
    from {{ relation }}
    where kind = 'cdc'
    group by source_name, table_name

)

select
    files.source_name,
    files.table_name,
    max(files.path) as path
from {{ relation }} as files
inner join newest
    on files.source_name = newest.source_name and files.table_name = newest.table_name
where
    files.kind = 'cdc'
    and files.file_time < newest.file_time - interval {{ late_file_days }} days
group by files.source_name, files.table_name
{% endmacro %}
