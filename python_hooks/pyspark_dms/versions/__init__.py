"""Published versions: what they are made of, and what no version needs any more.

Pure rules, each with a table of cases in tests/versions: `manifest` (what a version says),
`lineage` (what it was built on), `states` (what readers see with it, and from where commands go
on), `targets` (where a rollback goes), `rollbacks` and `reapplies` (going there, and which files
runs take then), `backfills`, `feeds`, `histories` and `kept` (what vacuum keeps).
"""
