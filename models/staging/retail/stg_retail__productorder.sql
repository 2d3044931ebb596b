{{ dms_snapshots.dms_staging('retail', 'productorder') }}
