{{ dms_staging('retail', 'productorder') }}
