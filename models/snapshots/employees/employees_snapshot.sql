{{ dms_snapshot('employees', 'employees') }}
