{{ dms_staging('employees', 'departments') }}
