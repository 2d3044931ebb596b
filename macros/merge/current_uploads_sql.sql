{% macro current_uploads_sql(changes, declared, job) %}
    {#-
        Changes, with those of a file that a later run found uploaded again made to nothing: such a
        change becomes a delete that is older than everything, so that its key is looked at again.
    -#}
select
    {{ column_names(declared.columns, "changes") }},
    if(uploads.file_seq is null, changes._dms_op, 'D') as _dms_op,
    if(uploads.file_seq is null, changes._dms_committed_at, null) as _dms_committed_at,
    if(uploads.file_seq is null, changes._dms_change_seq, null) as _dms_change_seq,
    changes._dms_generation,
    changes._dms_is_load or uploads.file_seq is not null as _dms_is_load,
    if(uploads.file_seq is null, changes._dms_file_seq, -1) as _dms_file_seq,
    changes._dms_row,
    changes._dms_is_key_change and uploads.file_seq is null as _dms_is_key_change,
    changes._dms_absent,
    changes._dms_run_date,
    uploads.file_seq is not null as _dms_is_replaced
from {{ changes }} as changes
left join ({{ replaced_uploads_sql(job) }}) as uploads
    on changes._dms_run_date = uploads.run_date and changes._dms_file_seq = uploads.file_seq
{% endmacro %}
