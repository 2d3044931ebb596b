{{ dms_snapshot('employees', 'salaries') }}
