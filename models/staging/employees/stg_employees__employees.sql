{{ dms_staging('employees', 'employees') }}
