{{ dms_snapshots.dms_snapshot('employees', 'salaries') }}
