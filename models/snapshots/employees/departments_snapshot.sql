{{ dms_snapshots.dms_snapshot('employees', 'departments') }}
