{% macro replaced_uploads_sql(declared, plan) %}
    {#- The staged files of which a later run staged another upload, under the same name, and when. -#}
    select *
    from (
        select
            run_date,
            file_seq,
            lead(run_date) over (partition by path order by run_date) as replaced_on
        from {{ ref("dms_staged_files") }}
        where
            source_name = {{ sql_string(declared.source_name) }}
            and table_name = {{ sql_string(declared.table_name) }}
            and generation = {{ plan.staged.generation }}
            and run_date <= date'{{ plan.head.run_date if plan.taken else run_date() }}'
            and kind = 'cdc'
        group by path, run_date, file_seq
    )
    where replaced_on is not null
{% endmacro %}
