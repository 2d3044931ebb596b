{% macro staged_changes_sql(declared, condition, head) %}
    {#- The staged changes that meet a condition, without those of files that were rolled back. -#}
select changes.*
from {{ model_relation("stg_" ~ declared.source_name ~ "__" ~ declared.table_name) }} as changes
{% if head and head.withheld_count %}
left anti join (
    select
        files.generation,
        files.file_seq,
        files.run_date
    from {{ model_relation("dms_staged_files") }} as files
    left semi join (
        select inline(withheld) as (path, etag)
        from {{ model_relation("snapshot_versions") }}
        where {{ version_filter(declared, head.version) }}
    ) as withheld
        on files.path = withheld.path and files.etag = withheld.etag
    where files.source_name = {{ sql_string(declared.source_name) }} and files.table_name = {{ sql_string(declared.table_name) }}
) as withheld
    on
        changes._dms_generation = withheld.generation
        and changes._dms_file_seq = withheld.file_seq
        and changes._dms_run_date = withheld.run_date
{% endif %}
where {{ condition }}
{% endmacro %}
