{{ dms_snapshots.dms_snapshot('employees', 'dept_emp') }}
