{{ dms_snapshot('retail', 'product') }}
