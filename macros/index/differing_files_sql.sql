{% macro differing_files_sql() %}
{#-
    What is new, gone, back or, by another file_timezone, of another time: the rows of the view
    dms_compared_files that still say so when all those of their table are looked at. What becomes of
    them, the model dms_files says.
-#}
with beside_others as (

    select
        *,
        bool_or(difference = 'load' and noted_kind = 'vanished') over same_table as has_other_load,
        bool_or(difference in ('unlisted', 'retimed')) over same_table as is_refused,
        bool_or(difference = 'elsewhere') over same_table as has_files_elsewhere,
        min(if(difference = 'retimed', path, null)) over same_table as retimed_path,
        -- Of the newest full load that there was; the view is read more than once, so always the same.
        max_by(path, if(difference = 'copied', struct(noted_generation, path), null)) over same_table as copied_path
    from dms_compared_files
    window same_table as (partition by source_name, table_name)

)

select
    source_name,
    table_name,
    if(difference = 'retimed', regexp_replace(path, '[^/]*$', ''), path) as path,
    difference,
    file_time,
    name_order,
    size,
    upload_etag,
    modified_at,
    -- DMS writes changes once: that they have come again makes a new full load doubtful.
    if(difference = 'load', copied_path, problem) as problem,
    is_written_anew,
    noted_file_time,
    noted_etag,
    noted_generation,
    noted_file_seq
from beside_others
where
    -- Of a listing that broke off, changes could be noted without the full load that they follow.
    (difference in ('unlisted', 'retimed') or not is_refused)
    and case difference
        -- Once is enough.
        when 'retimed' then path = retimed_path
        when 'empty' then has_files_elsewhere
        -- It may have been the first file of a reload, of which the next one comes only now.
        when 'returned before' then has_other_load and is_written_anew
        else difference not in ('listed', 'copied', 'elsewhere')
    end
{% endmacro %}
