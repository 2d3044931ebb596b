{% test every_file_is_staged(model) %}
{#-
    Indexed files up to the newest published date that no run has staged, and files of which
    staging does not have as many rows as were read. What was rolled back is not
    missing, nor what is gone and was replaced by a later full load.
-#}
{%- set table = tested_table(model) if execute else {} %}
{%- set start_date = declaration(table.source_name, table.table_name).cdc_start_date if execute else none %}
{%- set of_table = table_filter(table) %}
with indexed as (

    select
        path,
        etag,
        file_time,
        -- A file that was uploaded again counts as it is now.
        row_number() over (partition by path order by indexed_at desc, modified_at desc) as recency
    from {{ ref("dms_files") }}
    where
        {{ of_table }}
        and kind in ('load', 'cdc')
        {% if start_date %}and (file_time is null or file_time >= date'{{ start_date }}'){% endif %}

),

withheld as (

    select inline(withheld) as (path, etag)
    from (
        select max_by(withheld, version) as withheld
        from {{ ref("snapshot_versions") }}
        where {{ of_table }}
    )

),

replaced as (

    select
        path,
        etag
    from ({{ vanished_files_sql(table_files_sql(table.source_name, table.table_name)) }})
    where is_vanished and is_replaced

),

logged as (

    select
        path,
        etag,
        run_date,
        generation,
        file_seq,
        sum(row_count) as row_count
    from {{ ref("dms_staged_files") }}
    where {{ of_table }}
    group by path, etag, run_date, generation, file_seq

),

staged as (

    select
        _dms_run_date,
        _dms_generation,
        _dms_file_seq,
        count(*) as row_count
    from {{ model }}
    where _dms_run_date = {{ newest_run_date_sql(model) }}
    group by _dms_run_date, _dms_generation, _dms_file_seq

)

select
    indexed.path,
    cast(null as bigint) as rows_read,
    cast(null as bigint) as rows_staged,
    'indexed but not staged' as what
from indexed
left anti join logged on indexed.path = logged.path and indexed.etag = logged.etag
left anti join withheld on indexed.path = withheld.path and indexed.etag = withheld.etag
left anti join replaced on indexed.path = replaced.path and indexed.etag = replaced.etag
where
    indexed.recency = 1
    and (indexed.file_time is null or indexed.file_time < date_add({{ newest_run_date_sql(model) }}, 1))

union all

select
    logged.path,
    logged.row_count as rows_read,
    coalesce(staged.row_count, 0) as rows_staged,
    'staging does not have the rows that were read' as what
from logged
left join staged
    on
        logged.run_date = staged._dms_run_date
        and logged.generation = staged._dms_generation
        and logged.file_seq = staged._dms_file_seq
where
    logged.run_date = {{ newest_run_date_sql(model) }}
    and logged.row_count <> coalesce(staged.row_count, 0)
{% endtest %}
