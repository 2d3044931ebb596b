{{ dms_snapshots.dms_staging('employees', 'departments') }}
