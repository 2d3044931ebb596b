{{ dms_snapshots.dms_changes('hr', 'people') }}
