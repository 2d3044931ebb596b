{{ config(materialized="view") }}

select
    headcount.team,
    headcount.people,
    teams.floor
from {{ ref('people_by_team') }} as headcount
inner join {{ ref('teams') }} as teams on headcount.team = teams.team
