{% macro staged_uploads_sql(declared, head, applied=none, taken_on=none) %}
    {#-
        The staged files that count: those that were not rolled back or, where everything is gathered
        from staging, those that the given versions applied and staged for their dates, and those of a
        date that this run takes. What a failed run staged, perhaps once more, is not among them.
    -#}
select files.*
from {{ model_relation("dms_staged_files") }} as files
{% if applied or taken_on %}
left semi join (
    select run_date, inline(files) as (path, etag)
    from {{ model_relation("snapshot_versions") }}
    where {{ versions_filter(declared, applied) }}
    {% if taken_on %}

    union all

    select run_date, path, etag
    from {{ model_relation("dms_staged_files") }}
    where
        {{ table_filter(declared) }}
        and run_date = date'{{ taken_on }}'
    {% endif %}
) as applied
    on files.run_date = applied.run_date and files.path = applied.path and files.etag = applied.etag
{% elif head and head.withheld_count %}
left anti join (
    select inline(withheld) as (path, etag)
    from {{ model_relation("snapshot_versions") }}
    where {{ version_filter(declared, head.version) }}
) as withheld
    on files.path = withheld.path and files.etag = withheld.etag
{% endif %}
where {{ table_filter(declared, "files") }}
{% endmacro %}
