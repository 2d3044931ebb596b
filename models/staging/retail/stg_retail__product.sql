{{ dms_staging('retail', 'product') }}
