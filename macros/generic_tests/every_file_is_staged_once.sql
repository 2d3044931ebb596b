{% test every_file_is_staged_once(model) %}
{#-
    Files up to the newest published date that no version has applied; files of which staging has more or fewer
    rows than were read; and rows of one file that share a place in the order. Excluded files, missing ones and
    those that belong to an earlier full load are not expected.
-#}
{%- set table = tested_table(model) if execute else {} %}
{%- set start_date = declaration(table.source_name, table.table_name).cdc_start_date if execute else none %}
{%- set of_table = table_filter(table) %}
{%- set statement %}
with indexed as (

    select
        path,
        max_by(struct(kind, etag, file_time, generation), indexed_at) as last
    from {{ ref("dms_files") }}
    where {{ of_table }} and kind in ('load', 'cdc', 'missing', 'restored')
    group by path

),

newest as (

    select
        max_by(struct(excluded_files, generation), version) as last
    from {{ ref("snapshot_versions") }}
    where {{ of_table }}

),

applied as (

    select inline(files) as (path, etag)
    from {{ ref("snapshot_versions") }}
    where {{ of_table }}

),

reported as (

    select
        path,
        generation,
        file_seq,
        sum(row_count) as row_count
    from {{ ref("dms_staged_files") }}
    where {{ of_table }} and run_date = {{ newest_run_date_sql(model) }}
    group by path, generation, file_seq

),

places as (

    select
        _dms_generation,
        _dms_file_seq,
        count(*) as row_count
    from {{ model }}
    where _dms_run_date = {{ newest_run_date_sql(model) }}
    group by _dms_generation, _dms_file_seq, _dms_row, _dms_op

),

staged as (

    select
        _dms_generation,
        _dms_file_seq,
        sum(row_count) as row_count,
        max(row_count) as most_of_a_place
    from places
    group by _dms_generation, _dms_file_seq

)

select
    indexed.path,
    cast(null as bigint) as rows_read,
    cast(null as bigint) as rows_staged,
    'indexed but not staged' as what
from indexed
cross join newest
left anti join applied on indexed.path = applied.path and indexed.last.etag = applied.etag
where
    indexed.last.kind in ('load', 'cdc')
    and indexed.last.generation = newest.last.generation
    and not coalesce(array_contains(newest.last.excluded_files,
        struct(indexed.path as path, indexed.last.etag as etag)), false)
    and (indexed.last.file_time is null or indexed.last.file_time < date_add({{ newest_run_date_sql(model) }}, 1))
    {% if start_date -%}
    and (indexed.last.file_time is null or indexed.last.file_time >= date'{{ start_date }}')
    {%- endif %}

union all

select
    reported.path,
    reported.row_count as rows_read,
    coalesce(staged.row_count, 0) as rows_staged,
    if(staged.most_of_a_place > 1,
        'rows share a place in the order', 'staging does not have the rows that were read') as what
from reported
left join staged
    on reported.generation = staged._dms_generation and reported.file_seq = staged._dms_file_seq
where reported.row_count <> coalesce(staged.row_count, 0) or staged.most_of_a_place > 1
{%- endset %}
{{ unless_passed(model, statement) }}
{% endtest %}
