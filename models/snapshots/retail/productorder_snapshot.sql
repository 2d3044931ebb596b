{{ dms_snapshot('retail', 'productorder') }}
