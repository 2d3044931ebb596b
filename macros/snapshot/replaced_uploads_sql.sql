{% macro replaced_uploads_sql(declared, plan) %}
    {#- The staged files of which a later run staged another upload, under the same name, and when. -#}
    select *
    from (
        select
            run_date,
            file_seq,
            lead(run_date) over (partition by path order by run_date) as replaced_on
        from ({{ staged_uploads_sql(declared, plan.head, plan.applied or plan.line, plan.run_date if plan.line) }})
        where
            generation = {{ plan.staged.generation }}
            and run_date <= date'{{ plan.head.run_date if plan.applied else plan.run_date }}'
            and kind = 'cdc'
        group by path, run_date, file_seq
    )
    where replaced_on is not null
{% endmacro %}
