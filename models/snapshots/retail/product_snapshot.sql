{{ dms_snapshots.dms_snapshot('retail', 'product') }}
