{% macro open_rejects_sql() -%}
    select rejects.*
    from {{ ref("dms_snapshots", "dms_rejects") }} as rejects
    left semi join (
        select
            source_name,
            table_name,
            path,
            etag,
            run_date,
            reject_count,
            generation,
            max(run_date) over (partition by source_name, table_name, path) as newest_run_date,
            max(generation) over (
                partition by source_name, table_name, {{ dms_snapshots.folder_number_sql("generation") }}
            ) as newest_generation
        from {{ ref("dms_snapshots", "dms_staged_files") }}
    ) as staged
        on
            rejects.source_name = staged.source_name
            and rejects.table_name = staged.table_name
            and rejects.path = staged.path
            and rejects.etag = staged.etag
            and rejects.run_date = staged.run_date
            -- A later upload of the file has taken its place.
            and staged.run_date = staged.newest_run_date
            -- Nor is open what the last run of its date could take.
            and staged.reject_count > 0
            and staged.generation = staged.newest_generation
{% endmacro %}
