{{ dms_staging('retail', 'store') }}
