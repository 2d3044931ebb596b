{{ dms_snapshots.dms_snapshot('hr', 'people') }}
