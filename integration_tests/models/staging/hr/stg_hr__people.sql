{{ dms_snapshots.dms_staging('hr', 'people') }}
