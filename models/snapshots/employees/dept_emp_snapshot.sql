{{ dms_snapshot('employees', 'dept_emp') }}
