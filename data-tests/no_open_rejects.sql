{{ config(severity="warn") }}

-- Rejected rows whose file was not staged again since (docs/reference/dms.md, "Rows that cannot be taken").
select
    source_name,
    table_name,
    path,
    row_number,
    reason,
    run_date
from ({{ dms_snapshots.open_rejects_sql() }})
