{% test no_update_of_an_unknown_key(model, keys) -%}
{{ config(severity="warn") }}
{% set of_key = "_dms_generation, " ~ dms_snapshots.column_names(keys) %}
{%- set statement %}
with changes as (

    select
        {{ of_key }},
        _dms_op,
        _dms_file_seq,
        _dms_row,
        _dms_run_date,
        row_number() over (
            partition by {{ of_key }}
            order by _dms_is_load desc, _dms_file_seq, _dms_run_date, _dms_row, _dms_op
        ) as place
    from {{ model }}

)

select *
from changes
where
    place = 1
    and _dms_op = 'U'
    and _dms_run_date = {{ dms_snapshots.newest_run_date_sql(model) }}
{%- endset %}
{{ dms_snapshots.unless_passed(model, statement) }}
{% endtest %}
