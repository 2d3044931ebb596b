-- Uploads that the index has with two places in the order, so that it is not known when their changes were made.
-- Where a folder became a list of folders, its files are indexed again for each of them.
select
    source_name,
    table_name,
    path,
    etag,
    modified_at,
    count(distinct generation, file_seq) as place_count
from {{ ref("dms_files") }}
where kind in ('load', 'cdc', 'unknown')
group by source_name, table_name, path, etag, modified_at, {{ dms_snapshots.folder_number_sql("generation") }}
having count(distinct generation, file_seq) > 1
