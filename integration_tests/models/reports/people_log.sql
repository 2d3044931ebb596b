{{ config(materialized="incremental", incremental_strategy="append") }}

select
    run_date,
    kind,
    id,
    team_after
from {{ ref('people_changes') }}
{% if is_incremental() %}
where run_date > (select max(run_date) from {{ this }})
{% endif %}
