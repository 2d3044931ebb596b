{{ config(severity="warn") }}

-- Objects under a table's folder that are no DMS data files: never read, never guessed at.
select
    source_name,
    table_name,
    path
from {{ ref("dms_files") }}
where kind = 'unknown'
