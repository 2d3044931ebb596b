{% macro history_changes_sql(changes_sql, declared, plan) -%}
{%- set columns = dms_snapshots.column_names(declared.columns)
    ~ ", _dms_op, _dms_generation, _dms_is_load, _dms_change_seq, "
    ~ "_dms_committed_at, _dms_file_seq, _dms_run_date, _dms_row" %}
{%- set may_be_late = plan.is_late or plan.runs | length > 1 %}
with changes as (

    {{ changes_sql }}

),

runs as (

    select * from values
    {%- for run in plan.runs %}
        (date'{{ run.run_date }}',
            {{ "timestamp'" ~ run.starts_at ~ "'" if run.starts_at else "cast(null as timestamp)" }},
            {{ run.oldest_generation }}){{ "," if not loop.last }}
    {%- endfor %}
        as runs (_dms_run, _dms_starts_at, _dms_oldest_generation)

),

staged as (

    select {{ columns }}, _dms_starts_at
    from changes
    inner join runs on _dms_run_date = _dms_run
    where
        _dms_run_date in ({% for run in plan.runs %}date'{{ run.run_date }}'{{ ", " if not loop.last }}{% endfor %})
        and _dms_generation >= _dms_oldest_generation

),

{% if plan.is_late %}
earlier as (

    select {{ columns }}, cast(null as timestamp) as _dms_starts_at
    from changes
    left semi join (
        select {{ "/*+ broadcast(changed) */" if plan.broadcast }} {{ dms_snapshots.column_names(
            declared.primary_keys
        ) }}
        from staged as changed
    ) as staged
        on {{ dms_snapshots.keys_match(declared, "changes", "staged") }}
    where
        _dms_run_date <= date'{{ plan.base.run_date }}'
        and {{ dms_snapshots.of_generations_sql("_dms_generation", plan.base.generations) }}

),
{% endif %}

in_order as (

    select
        *,
        {% if may_be_late %}
            min(_dms_run_date) over (
                partition by {{ dms_snapshots.column_names(declared.primary_keys) }}
                order by _dms_generation desc, {{ dms_snapshots.change_order(declared) }}
                rows between unbounded preceding and 1 preceding
            )
        {% else %}
            cast(null as date)
        {% endif %} as _dms_overruled_on
    from (select * from staged {{ "union all select * from earlier" if plan.is_late }})

)

select
    {{ columns }},
    _dms_op = 'D' as _dms_is_deleted,
    least(
        greatest(
            coalesce(
                _dms_committed_at,
                -- The place of a change file is its time; a full load without times was always so.
                if(_dms_is_load, timestamp'1970-01-01 00:00:00', timestamp_micros(_dms_file_seq div 1000))
            ),
            _dms_starts_at
        ),
        timestamp_micros(unix_micros(cast(date_add(_dms_run_date, 1) as timestamp)) - 1)
    ) as _dms_counts_from
from in_order
where
    (_dms_overruled_on is null or _dms_overruled_on >= _dms_run_date)
    {{ "and _dms_run_date > date'" ~ plan.base.run_date ~ "'" if plan.is_late }}
{% endmacro %}
