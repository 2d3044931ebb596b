{% test order_has_no_inversions(model) -%}
{{ config(severity="warn") }}
{%- set statement %}
with changes as (

    select
        _dms_generation,
        _dms_file_seq,
        _dms_row,
        _dms_committed_at,
        max(_dms_committed_at) over (
            partition by _dms_generation
            order by _dms_file_seq, _dms_row
            rows between unbounded preceding and 1 preceding
        ) as committed_before
    from {{ model }}
    where _dms_run_date = {{ dms_snapshots.newest_run_date_sql(model) }} and not _dms_is_load

)

select *
from changes
where _dms_committed_at < committed_before
{%- endset %}
{{ dms_snapshots.unless_passed(model, statement) }}
{% endtest %}
