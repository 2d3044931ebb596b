{% macro staged_uploads_sql(declared, head, applied=none) %}
    {#-
        The staged files that count: those that were not rolled back or, for an operation, those
        that the given versions applied; what a failed run staged is not among them.
    -#}
select files.*
from {{ model_relation("dms_staged_files") }} as files
{% if applied %}
left semi join (
    select inline(files) as (path, etag)
    from {{ model_relation("snapshot_versions") }}
    where {{ versions_filter(declared, applied) }}
) as applied
    on files.path = applied.path and files.etag = applied.etag
{% elif head and head.withheld_count %}
left anti join (
    select inline(withheld) as (path, etag)
    from {{ model_relation("snapshot_versions") }}
    where {{ version_filter(declared, head.version) }}
) as withheld
    on files.path = withheld.path and files.etag = withheld.etag
{% endif %}
where files.source_name = {{ sql_string(declared.source_name) }} and files.table_name = {{ sql_string(declared.table_name) }}
{% endmacro %}
