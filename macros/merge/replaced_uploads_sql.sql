{% macro replaced_uploads_sql(job) -%}
    select *
    from (
        select
            run_date,
            generation,
            file_seq,
            lead(run_date) over (partition by path, generation order by run_date) as replaced_on
        from ({{ job.files_sql }})
        where {{ dms_snapshots.of_generations_sql("generation", job.generations) }} and kind = 'cdc'
        group by path, run_date, generation, file_seq
    )
    where replaced_on is not null
{% endmacro %}
