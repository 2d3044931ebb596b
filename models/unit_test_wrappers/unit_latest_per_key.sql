{{ config(materialized="ephemeral") }}

{#- The macro under test, on a table of the two columns id and value. -#}
{% set declared = {
    "columns": [{"name": "id"}, {"name": "value"}],
    "primary_keys": ["id"],
    "order_by": var("unit_order_by", "file"),
} %}

select
    id,
    value,
    _dms_op
from ({{ dms_snapshots.latest_per_key_sql(ref("unit_staged_changes"), declared) }})
