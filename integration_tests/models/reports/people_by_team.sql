{{ config(materialized="table", alias="headcount") }}

select
    team,
    count(*) as people,
    '{{ var("region") }}' as region
from {{ dms_snapshots.dms_current('hr', 'people') }}
group by team
