{% macro changes_before_load_sql(files_sql, declared) %}
{#-
    The change files that DMS wrote before the newest full load, and that are laid over it, because no run
    has seen another one that they followed. A store knows that of files that DMS has written there itself:
    then their names and their times agree. A copy has later times. Below transaction_path are changes of
    tables that were loaded before.
-#}
with last_noted as (

    select
        path,
        max_by(struct(kind, generation, file_time, modified_at), indexed_at) as noted
    from ({{ files_sql }})
    where kind in ('load', 'cdc') and indexed_at <= {{ run_started() }}
    group by path

),

newest_load as (

    select
        noted.generation,
        min(noted.modified_at) as began_at
    from last_noted
    where noted.kind = 'load' and {{ begins_a_load_sql("path") }}
    group by noted.generation
    order by generation desc
    limit 1

)

select last_noted.path
from last_noted
inner join newest_load on last_noted.noted.generation = newest_load.generation
left anti join ({{ rewritten_files_sql(files_sql, declared) }}) as left_out on last_noted.path = left_out.path
where
    last_noted.noted.kind = 'cdc'
    and startswith(last_noted.path, {{ sql_string(absolute_path(declared.path)) }})
    and last_noted.noted.modified_at < newest_load.began_at
    and abs(unix_seconds(last_noted.noted.modified_at) - unix_seconds(last_noted.noted.file_time)) < 3600
    and last_noted.noted.file_time < date_add(date'{{ run_date() }}', 1)
    {% if declared.cdc_start_date %}and last_noted.noted.file_time >= date'{{ declared.cdc_start_date }}'{% endif %}

order by last_noted.path
{% endmacro %}
