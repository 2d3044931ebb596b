{{ dms_snapshot('employees', 'departments') }}
