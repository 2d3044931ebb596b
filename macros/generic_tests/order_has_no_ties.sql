{% test order_has_no_ties(model) %}
{#- Places in the order of changes that two rows of the newest run share. -#}
select
    _dms_generation,
    _dms_file_seq,
    _dms_row,
    _dms_op,
    count(*) as row_count
from {{ model }}
where _dms_run_date = {{ newest_run_date_sql(model) }}
group by _dms_generation, _dms_file_seq, _dms_row, _dms_op
having count(*) > 1
{% endtest %}
