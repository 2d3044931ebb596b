{% macro compared_files_sql(index) %}
{#-
    The folders that were listed (`listed`, or `empty`), and what differs, path by path, between the
    listing and what the index last noted. Usually that is nothing, and then all that was ever noted
    is read here only, and once, beside the listing; what the few rows that are left mean together,
    differing_files_sql tells. For that there are, beside a new full load, files whose content was there
    before (`copied`, `returned before`), and beside an empty folder what was noted in others (`elsewhere`).
-#}
with seen as (

    select
        source_name,
        table_name,
        path,
        kind,
        file_time,
        other_time,
        name_order,
        size,
        etag,
        modified_at,
        problem,
        listed_after,
        cast(null as int) as generation,
        cast(null as bigint) as file_seq,
        cast(null as timestamp) as indexed_at
    from dms_listing
    {% if index %}

    union all

    select
        source_name,
        table_name,
        path,
        kind,
        file_time,
        cast(null as timestamp) as other_time,
        cast(null as bigint) as name_order,
        size,
        etag,
        modified_at,
        cast(null as string) as problem,
        cast(null as string) as listed_after,
        generation,
        file_seq,
        indexed_at
    from {{ index }}
    where kind not in ('unlisted', 'retimed', 'empty')
    {% endif %}

),

-- All that follows compares files of one table, so this is the only exchange.
by_table as (

    select *
    from seen
    distribute by source_name, table_name

),

with_notes as (

    select
        *,
        bool_or(indexed_at is null) over of_path as is_listed,
        max(indexed_at) over of_path as noted_at,
        max_by(struct(kind, file_time, etag, modified_at, generation, file_seq), indexed_at) over of_path as noted,
        -- What is put back has a time of its own, but is no full load.
        max_by(modified_at, if(kind = 'load', indexed_at, null)) over of_path as loaded_at,
        collect_list(if(indexed_at is not null and kind in ('load', 'cdc', 'unknown'), etag, null)) over of_path as uploads
    from by_table
    window of_path as (partition by source_name, table_name, path)

),

-- Each object as it is listed; of what is not listed, what was last noted.
compared as (

    select
        *,
        coalesce({{ content_tag_sql("noted.etag") }} = etag, false) as is_same_content,
        size(filter(uploads, upload -> {{ content_tag_sql("upload") }} = etag)) as times_uploaded,
        -- By another file_timezone: new names would not come behind those that are noted.
        coalesce(
            indexed_at is null and kind = 'cdc' and noted.file_time not in (file_time, coalesce(other_time, file_time)),
            false
        ) as is_retimed
    from with_notes
    where indexed_at is null or (not is_listed and indexed_at = noted_at)

),

with_difference as (

    select
        *,
        case
            when indexed_at is not null then 'vanished'
            when is_retimed then 'retimed'
            when is_same_content and noted.kind = 'vanished' then 'returned'
            -- A full load written again with the same content is a reload all the same.
            when is_same_content and modified_at = noted.modified_at then 'returned before'
            when is_same_content and kind = 'cdc' then 'copied'
            when kind = 'listed' and size = 0 and listed_after is null then 'empty'
            else kind
        end as difference
    from compared
    where
        case
            when indexed_at is not null then kind in ('load', 'cdc', 'returned')
            when is_retimed then true
            when is_same_content and noted.kind = 'vanished' then true
            when is_same_content and kind = 'load' and noted.kind = 'returned' then true
            when is_same_content then kind in ('load', 'cdc') and modified_at <> noted.modified_at
            when kind = 'cdc' then file_time < date_add(date'{{ run_date() }}', 1)
            else true
        end

),

with_folders as (

    select
        *,
        bool_or(difference = 'load') over same_table as has_load,
        bool_or(difference = 'empty') over same_table as has_empty_folder,
        collect_list(
            if(difference in ('listed', 'empty'), struct(path as folder, listed_after), null)
        ) over same_table as folders
    from with_difference
    window same_table as (partition by source_name, table_name)

),

differing as (

    select
        * except (difference),
        case
            when difference <> 'vanished' then difference
            -- Gone is only what would have been listed: its folder was, to the end, and from before its name.
            when
                exists(
                    folders,
                    listing -> startswith(path, listing.folder) and (listing.listed_after is null or path > listing.listed_after)
                )
                then 'vanished'
            -- What is below no folder that was listed was found when path was another.
            when not exists(folders, listing -> startswith(path, listing.folder)) then 'elsewhere'
        end as difference
    from with_folders

)

select
    source_name,
    table_name,
    path,
    difference,
    -- Of an hour that comes twice, a later upload is of the time that was noted.
    if(noted.file_time = other_time, noted.file_time, file_time) as file_time,
    name_order,
    size,
    -- A tag that comes back to its path is another upload, and must not be taken for the first.
    if(times_uploaded > 0 and indexed_at is null, etag || '#' || (times_uploaded + 1), etag) as upload_etag,
    modified_at,
    if(
        is_retimed,
        path || ' as of ' || noted.file_time || ' UTC, which would be ' || file_time || ' now',
        problem
    ) as problem,
    -- Back as it was, or written anew: a store keeps the time of what only was away.
    kind = 'load' and modified_at > loaded_at as is_written_anew,
    noted.kind as noted_kind,
    noted.file_time as noted_file_time,
    noted.etag as noted_etag,
    noted.generation as noted_generation,
    noted.file_seq as noted_file_seq,
    '{{ run_version() }}' as found_by
from differing
where
    case difference
        when 'copied' then has_load
        when 'returned before' then has_load
        when 'elsewhere' then has_empty_folder
        -- Null is what is below a folder of which the listing began behind its name: nobody has looked.
        else difference is not null
    end
{% endmacro %}
