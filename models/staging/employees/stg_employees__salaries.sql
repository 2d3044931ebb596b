{{ dms_staging('employees', 'salaries') }}
