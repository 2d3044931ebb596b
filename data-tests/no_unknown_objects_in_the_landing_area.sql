{{ config(severity="warn") }}

-- Objects with names that are not those of DMS files. No run reads them. dms_files keeps the path of a deleted one.
select
    source_name,
    table_name,
    path
from {{ ref("dms_files") }}
where kind = 'unknown'
