{{ config(severity="warn") }}

-- Rows that wait for their cause to be fixed: see docs/reference/dms.md, "Rows that cannot be taken".
select
    source_name,
    table_name,
    path,
    row_number,
    reason,
    run_date
from ({{ dms_snapshots.open_rejects_sql() }})
