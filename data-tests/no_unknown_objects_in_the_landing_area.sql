{{ config(severity="warn") }}

-- Objects in the folder of a table whose names are not those of DMS files. No run reads them.
select
    source_name,
    table_name,
    path
from {{ ref("dms_files") }}
where kind = 'unknown'
