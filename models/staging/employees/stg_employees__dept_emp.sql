{{ dms_snapshots.dms_staging('employees', 'dept_emp') }}
