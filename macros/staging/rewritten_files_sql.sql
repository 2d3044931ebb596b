{% macro rewritten_files_sql(files_sql, declared) %}
    {#-
        The files that are gone, that no run took, and that are left out because their full load has begun
        since. DMS may have loaded the table again, and then all is there; but nothing tells that from a
        first file that a person has mended, and then their rows are missing.
    -#}
select
    gone.path,
    gone.noted_at
from ({{ vanished_files_sql(files_sql) }}) as gone
left anti join (
    select
        path,
        etag
    from ({{ taken_files_sql(ref("dms_staged_files"), ref("snapshot_versions"), [declared]) }})
    where {{ table_filter(declared) }}
) as taken
    on gone.path = taken.path and gone.etag = taken.etag
where
    gone.is_rewritten
    {% if declared.cdc_start_date %}and (gone.file_time is null or gone.file_time >= date'{{ declared.cdc_start_date }}'){% endif %}

{% endmacro %}
