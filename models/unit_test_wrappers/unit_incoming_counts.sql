{{ config(materialized="ephemeral") }}

{#- The macro under test, on a table of the two columns id and value. -#}
{% set declared = {"columns": [{"name": "id"}, {"name": "value"}], "primary_keys": ["id"]} %}

select *
from ({{ dms_snapshots.incoming_counts_sql(ref("unit_latest"), declared) }})
