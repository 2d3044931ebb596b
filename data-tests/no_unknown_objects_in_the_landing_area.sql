{{ config(severity="warn") }}

-- Objects whose names are not those of DMS files, or of another format than declared. No run reads them.
select
    source_name,
    table_name,
    path
from {{ ref("dms_files") }}
where kind = 'unknown'
