{% macro differing_files_sql() %}
{#-
    What is new, gone, back or, by another file_timezone, of another time: of what differs path by path
    (view dms_compared_files), what still does beside the other files of its table. What becomes of it,
    the model dms_files says.
-#}
with with_folders as (

    select
        *,
        collect_list(if(difference = 'listed', struct(path as folder, listed_after), null)) over same_table as folders,
        bool_or(difference = 'load' and noted_kind = 'vanished') over same_table as has_other_load,
        bool_or(difference in ('unlisted', 'retimed')) over same_table as is_refused,
        min(if(difference = 'retimed', path, null)) over same_table as retimed_path,
        -- Of the newest full load that there was.
        max_by(path, if(difference = 'copied', noted_generation, null)) over same_table as copied_path
    from dms_compared_files
    window same_table as (partition by source_name, table_name)

),

with_places as (

    select
        *,
        -- What is below no folder that was listed was found when path was another.
        bool_or(difference = 'vanished' and not exists(folders, listing -> startswith(path, listing.folder)))
            over (partition by source_name, table_name) as has_files_elsewhere
    from with_folders

)

select
    source_name,
    table_name,
    if(difference = 'retimed', regexp_replace(path, '[^/]*$', ''), path) as path,
    if(difference = 'listed', 'empty', difference) as difference,
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
from with_places
where
    -- Of a listing that broke off, changes could be noted without the full load that they follow.
    (difference in ('unlisted', 'retimed') or not is_refused)
    -- Once is enough.
    and (difference <> 'retimed' or path = retimed_path)
    and case difference
        when 'listed' then size = 0 and listed_after is null and has_files_elsewhere
        -- Gone is only what would have been listed: its folder was, to the end, and from before its name.
        when 'vanished' then exists(
            folders,
            listing -> startswith(path, listing.folder) and (listing.listed_after is null or path > listing.listed_after)
        )
        when 'copied' then false
        -- It may have been the first file of a reload, of which the next one comes only now.
        when 'returned before' then has_other_load and is_written_anew
        else true
    end
{% endmacro %}
