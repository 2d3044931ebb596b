{% macro history_rows_sql(events, history) -%}
{%- set declared = history.declared %}
{%- set keys = dms_snapshots.column_names(declared.primary_keys) %}
{%- set in_order = "(partition by " ~ keys ~ " order by _dms_age desc)" %}
{%- set id_parts = [] %}
{%- for key in declared.primary_keys + ["_dms_from"] %}{% do id_parts.append(dms_snapshots.sql_name(key)) %}{% endfor %}
{%- set keeps_deletes = history.hard_deletes == "new_record" %}
with aged as (

    select
        *,
        row_number() over (
            partition by {{ keys }} order by _dms_generation desc, _dms_step desc, {{ dms_snapshots.change_order(
                declared
            ) }}
        ) as _dms_age
    from {{ events }}

),

timed as (

    -- The order of the changes is right also where their times are not.
    select *, max(_dms_counts_from) over {{ in_order }} as _dms_from
    from aged

),

followed as (

    select
        *,
        lead(_dms_from) over {{ in_order }} as _dms_next_from,
        struct(
            _dms_is_deleted,
            {% for name in history.tracked -%}
                if(_dms_is_deleted, null, {{ dms_snapshots.sql_name(
                    name
                ) }}) as {{ dms_snapshots.sql_name(name) }}{{ ", " if not loop.last }}
            {% endfor -%}
        ) as _dms_state
    from timed

),

compared as (

    select *, lag(_dms_state) over {{ in_order }} as _dms_state_before
    from followed
    where _dms_next_from is null or _dms_next_from > _dms_from

),

kept as (

    select
        *,
        lag(struct({{ dms_snapshots.column_names(declared.columns) }})) over {{ in_order }} as _dms_before,
        lead(_dms_from) over {{ in_order }} as _dms_to
    from compared
    where
        _dms_generation = 0
        or if(_dms_state_before is null, not _dms_is_deleted, not _dms_state <=> _dms_state_before)

)

select
    {% for column in declared.columns -%}
        {% if keeps_deletes -%}
            if(_dms_is_deleted and _dms_generation > 0,
                _dms_before.{{ dms_snapshots.sql_name(column.name) }},
                {{ dms_snapshots.sql_name(column.name) }}) as {{ dms_snapshots.sql_name(column.name) }},
        {% else -%}
            {{ dms_snapshots.sql_name(column.name) }},
        {% endif -%}
    {% endfor -%}
    coalesce(_dms_scd_id, {{ snapshot_hash_arguments(id_parts) }}) as {{ dms_snapshots.sql_name(
        history.names.dbt_scd_id
    ) }},
    _dms_from as {{ dms_snapshots.sql_name(history.names.dbt_updated_at) }},
    _dms_from as {{ dms_snapshots.sql_name(history.names.dbt_valid_from) }},
    _dms_to as {{ dms_snapshots.sql_name(history.names.dbt_valid_to) }}
    {%- if keeps_deletes %},
    if(_dms_is_deleted, 'True', 'False') as {{ dms_snapshots.sql_name(history.names.dbt_is_deleted) }}
    {%- endif %}
from kept
{{ "where not _dms_is_deleted" if not keeps_deletes }}
{% endmacro %}
