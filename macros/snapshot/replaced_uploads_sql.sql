{% macro replaced_uploads_sql(declared, plan) %}
    {#- The staged files of which a later run staged another upload, under the same name. -#}
    select
        run_date,
        file_seq
    from (
        select
            run_date,
            file_seq,
            max(run_date) over (partition by path) as newest_run_date
        from {{ ref("dms_staged_files") }}
        where
            source_name = {{ sql_string(declared.source_name) }}
            and table_name = {{ sql_string(declared.table_name) }}
            and generation = {{ plan.staged.generation }}
            and run_date <= date'{{ run_date() }}'
            and kind = 'cdc'
    )
    where run_date < newest_run_date
    group by run_date, file_seq
{% endmacro %}
