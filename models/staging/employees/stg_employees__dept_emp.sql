{{ dms_staging('employees', 'dept_emp') }}
