{{ dms_snapshots.dms_snapshot('retail', 'productorder') }}
