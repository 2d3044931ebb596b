{% macro staged_changes_sql(declared, condition, head, applied=none, taken_on=none) %}
    {#- The staged changes that meet a condition, of the files that count; see staged_uploads_sql. -#}
select changes.*
from {{ model_relation("stg_" ~ declared.source_name ~ "__" ~ declared.table_name) }} as changes
{% if applied or head and head.withheld_count %}
left semi join (
    {{ staged_uploads_sql(declared, head, applied, taken_on) }}
) as uploads
    on
        changes._dms_generation = uploads.generation
        and changes._dms_file_seq = uploads.file_seq
        and changes._dms_run_date = uploads.run_date
{% endif %}
where {{ condition }}
{% endmacro %}
