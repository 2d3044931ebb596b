{{ config(materialized="ephemeral") }}

{#- The macro under test: which staged changes decide, for the plan that the test gives. -#}
{% set declared = {"columns": [{"name": "id"}, {"name": "value"}], "primary_keys": ["id"]} %}
{% set job = {
    "action": var("unit_action", "merge"),
    "is_late": var("unit_is_late", false),
    "run_date": dms_snapshots.run_date(),
    "loads_repeat": false,
    "generations": [2],
    "taken": none,
    "rebuilds": false,
    "files_sql": "select * from " ~ ref("dms_staged_files"),
} %}

select
    id,
    value
from ({{ dms_snapshots.candidate_changes_sql("select * from " ~ ref("unit_staged_changes"), declared, job) }})
