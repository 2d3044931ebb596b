{% macro candidate_changes_sql(changes_sql, declared, plan) %}
    {#-
        The staged changes among which the newest of each changed key is found. Usually those of
        this run; when a file came late, also all earlier ones of the keys it touches; in a build,
        all changes behind the full load (or with it, if its keys repeat).
    -#}
{% set generation = "_dms_generation = " ~ plan.staged.generation %}
{% set this_run = plan.taken or "_dms_run_date = date'" ~ run_date() ~ "'" %}
with changes as (

    {{ changes_sql }}

)

{% if plan.action == "merge" and plan.is_late and declared.primary_keys %}
, touched as (

    select distinct {{ column_names(declared.primary_keys) }}
    from changes
    where {{ generation }} and {{ this_run }}

)

select changes.*
from changes
left semi join touched on {{ keys_match(declared, "changes", "touched") }}
where changes.{{ generation }}
{% elif plan.action == "merge" %}
select * from changes
where {{ generation }} and {{ this_run }}
{% else %}
select * from changes
where {{ generation }} and {{ this_run }} and {{ "true" if plan.loads_repeat else "not _dms_is_load" }}
{% endif %}
{% endmacro %}
