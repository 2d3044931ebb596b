{% macro _merged_key_changes_sql(changes, declared) -%}
{% set transaction = "_dms_committed_at" if declared.timestamp_column else "_dms_file_seq" %}
with ranked as (

    {{ dms_snapshots.ranked_changes_sql(dms_snapshots._first_deliveries_sql(changes, declared), declared) }}

),

folded as (

    select
        {{ dms_snapshots.column_names(declared.primary_keys) }},
        min_by(struct({{ dms_snapshots.column_names(declared.columns) }}), _dms_rank) filter (
            where _dms_op <> 'D'
        ) as _dms_written,
        min_by(struct({{ dms_snapshots.column_names(
            declared.columns
        ) }}, _dms_generation, _dms_file_seq, _dms_row), _dms_rank) as _dms_newest,
        aggregate(
            array_sort(collect_list(struct(-_dms_rank as place, _dms_op as op, _dms_is_key_change as moves,
                {{ transaction }} as part))),
            struct(0 as row_count,
                {{ "cast(null as timestamp)" if declared.timestamp_column else "cast(null as bigint)" }} as part),
            (state, change) -> struct(
                case
                    when change.op = 'D' and not change.moves then 0
                    when change.op = 'D'
                        then greatest(if(change.part <=> state.part, state.row_count, least(state.row_count, 1)) - 1, 0)
                    when change.moves
                        then if(change.part <=> state.part, state.row_count, least(state.row_count, 1)) + 1
                    else 1
                end as row_count,
                change.part as part
            ),
            state -> state.row_count > 0
        ) as _dms_is_there
    from ranked
    group by {{ dms_snapshots.column_names(declared.primary_keys) }}

)

select
    {% for column in declared.columns %}
        if(_dms_is_there, _dms_written.{{ dms_snapshots.sql_name(
            column.name
        ) }}, _dms_newest.{{ dms_snapshots.sql_name(column.name) }})
            as {{ dms_snapshots.sql_name(column.name) }},
    {% endfor %}
    if(_dms_is_there, 'U', 'D') as _dms_op,
    _dms_newest._dms_generation,
    _dms_newest._dms_file_seq,
    _dms_newest._dms_row
from folded
{% endmacro %}


{% macro _first_deliveries_sql(changes, declared) -%}
    {% if not declared.change_seq_column %}
        {% do return(changes) %}
    {% endif %}
(
    select *
    from (
        select
            *,
            row_number() over (
                partition by
                    {{ dms_snapshots.column_names(declared.primary_keys) }},
                    _dms_op,
                    {{ dms_snapshots.change_identity_sql() }}
                order by _dms_file_seq, _dms_run_date, _dms_row
            ) as _dms_delivery
        from {{ changes }}
    )
    where _dms_delivery = 1
)
{% endmacro %}
