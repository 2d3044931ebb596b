{{ config(materialized="ephemeral") }}

{#- The macro under test, on a table of the two columns id and value. -#}
{% set keys = [] if var("unit_keyless", false) else ["id"] %}
{% set declared = {"columns": [{"name": "id"}, {"name": "value"}], "primary_keys": keys} %}

select *
from ({{ dms_snapshots.feed_sql(ref("unit_before"), ref("unit_after"), declared, 7) }})
