{% macro changes_before_load_sql(files_sql, declared) %}
{#-
    The change files that DMS wrote before the full load on which a first run lays them. A store knows that
    of files that DMS has written there itself: then their names and their times agree. A copy has later times.
-#}
with files as (

    select * from ({{ files_sql }})
    where indexed_at <= {{ run_started() }}

),

newest_load as (

    select
        generation,
        min(modified_at) as began_at
    from files
    where kind = 'load' and {{ begins_a_load_sql("path") }}
    group by generation
    order by generation desc
    limit 1

)

select files.path
from files
inner join newest_load on files.generation = newest_load.generation
where
    files.kind = 'cdc'
    and files.modified_at < newest_load.began_at
    and abs(unix_seconds(files.modified_at) - unix_seconds(files.file_time)) < 3600
    and files.file_time < date_add(date'{{ run_date() }}', 1)
    {% if declared.cdc_start_date %}and files.file_time >= date'{{ declared.cdc_start_date }}'{% endif %}
order by files.path
{% endmacro %}
