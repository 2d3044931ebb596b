{{ dms_snapshot('retail', 'store') }}
