{% macro history_events_sql(changes, open_rows, history, plan) -%}
{%- set declared = history.declared %}
{%- set keys = dms_snapshots.column_names(declared.primary_keys) %}
{%- set base_columns = "cast(null as boolean) as _dms_is_load, cast(null as string) as _dms_change_seq, "
    ~ "cast(null as timestamp) as _dms_committed_at, cast(null as bigint) as _dms_file_seq, "
    ~ "cast(null as date) as _dms_run_date, cast(null as bigint) as _dms_row" %}
{%- set reloads = [] %}
{%- for run in plan.runs if history.hard_deletes != "ignore" %}
    {%- for reload in run.reloads %}{% do reloads.append(dict(run, **reload)) %}{% endfor %}
{%- endfor %}
with changes as (

    select *
    from {{ changes }}
    {{ "where not _dms_is_deleted" if history.hard_deletes == "ignore" }}

),

known as (

    select {{ keys }}, 0 as _dms_generation from {{ open_rows }}
    union all
    select {{ keys }}, _dms_generation from changes

),

{% for run in reloads %}
{#- What later runs add to this load was not there yet when it began. -#}
{% set loaded = (
    "_dms_is_load and " ~ dms_snapshots.of_generations_sql("_dms_generation", run.generations)
    ~ " and _dms_run_date <= date'" ~ run.run_date ~ "'"
) %}
gone_{{ loop.index }} as (

    select
        gone.*,
        -- An empty full load has no time of its own.
        coalesce(
            (select min(_dms_counts_from) from changes where {{ loaded }}),
            timestamp'{{ run.starts_at }}'
        ) as _dms_counts_from
    from (
        select distinct {{ keys }}
        from known
        where
            _dms_generation < {{ run.generation }}
            {{ "and " ~ dms_snapshots.of_shards_sql(declared, [run.shard]) if run.shard is not none }}
    ) as gone
    left anti join (select {{ keys }} from changes where {{ loaded }}) as loaded
        on {{ dms_snapshots.keys_match(declared, "gone", "loaded") }}

),
{% endfor %}

touched as (

    select distinct {{ keys }} from changes
    {% for run in reloads %}union select {{ keys }} from gone_{{ loop.index }}
    {% endfor %}

)

select
    {{ dms_snapshots.column_names(declared.columns, "before") }},
    0 as _dms_generation, 0 as _dms_step, {{ base_columns }},
    {{
        "coalesce(" ~ dms_snapshots.sql_name(history.names.dbt_is_deleted) ~ ", 'False') = 'True'"
        if history.hard_deletes == "new_record" else "false"
    }} as _dms_is_deleted,
    {{ dms_snapshots.sql_name(history.names.dbt_valid_from) }} as _dms_counts_from,
    {{ dms_snapshots.sql_name(history.names.dbt_scd_id) }} as _dms_scd_id
from {{ open_rows }} as before
left semi join (
    select {{ "/*+ broadcast(changed) */" if plan.broadcast and not reloads }} {{ keys }}
    from touched as changed
) as touched
    on {{ dms_snapshots.keys_match(declared, "before", "touched") }}

union all

select
    {{ dms_snapshots.column_names(declared.columns) }},
    _dms_generation, 1 as _dms_step,
    _dms_is_load, _dms_change_seq, _dms_committed_at, _dms_file_seq, _dms_run_date, _dms_row,
    _dms_is_deleted,
    _dms_counts_from,
    cast(null as string) as _dms_scd_id
from changes
{% for run in reloads %}

union all

select
    {% for column in declared.columns -%}
        {{
            dms_snapshots.sql_name(column.name) if column.name in declared.primary_keys
            else "cast(null as " ~ column.data_type ~ ")"
        }},
    {% endfor -%}
    {{ run.generation }} as _dms_generation, 0 as _dms_step, {{ base_columns }},
    true as _dms_is_deleted,
    _dms_counts_from,
    cast(null as string) as _dms_scd_id
from gone_{{ loop.index }}
{% endfor %}
{% endmacro %}
