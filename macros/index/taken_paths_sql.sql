{% macro taken_paths_sql(declared) %}
select
    path,
    etag
from ({{ taken_files_sql(ref("dms_staged_files"), ref("snapshot_versions"), [declared]) }})
where {{ table_filter(declared) }}
{% endmacro %}
