-- One content of one path stands in the index once, or its changes would be counted twice.
select
    source_name,
    table_name,
    path,
    etag,
    modified_at,
    count(*) as row_count
from {{ ref("dms_files") }}
where kind in ('load', 'cdc', 'unknown')
group by source_name, table_name, path, etag, modified_at
having count(*) > 1
