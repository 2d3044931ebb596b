{% macro replaced_uploads_sql(files, condition) -%}
    select *
    from (
        select
            path,
            generation,
            run_date,
            file_seq,
            lead(run_date) over uploads as replaced_on,
            lead(file_seq) over uploads as replaced_by
        from ({{ files }})
        where {{ condition }} and kind = 'cdc'
        group by path, generation, run_date, file_seq
        window uploads as (partition by path, generation order by run_date)
    )
    where replaced_on is not null
{% endmacro %}
