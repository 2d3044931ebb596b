{% macro _uploads_sql(declared, newest) %}
    {#- The files that staging has, by run date, without those that were rolled back. -#}
select distinct
    uploads.run_date,
    uploads.generation,
    uploads.file_seq,
    uploads.kind,
    uploads.path,
    uploads.etag
from {{ model_relation("dms_staged_files") }} as uploads
left anti join (
    select inline(withheld) as (path, etag)
    from {{ model_relation("snapshot_versions") }}
    where {{ version_filter(declared, newest.version) }}
) as withheld
    on uploads.path = withheld.path and uploads.etag = withheld.etag
where uploads.source_name = {{ sql_string(declared.source_name) }} and uploads.table_name = {{ sql_string(declared.table_name) }}
{% endmacro %}
