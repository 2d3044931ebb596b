{% test snapshot_is_whole(model, keys=[]) -%}
{%- set version = (dms_snapshots.tested_version(model) if execute else none) or {} %}
{%- set statement %}
with newest as (

    select
        cast({{ version.get("rows_before", 0) + version.get("rows_inserted", 0) - version.get("rows_deleted", 0) }}
            as bigint) as rows_counted,
        cast({{ version.get("rows_after", 0) }} as bigint) as rows_after,
        -- NULL if a release of before has recorded no names.
        from_json({{ dms_snapshots.sql_string(tojson(version.get("files"))) }}, 'array<string>') as files
    where {{ "true" if version else "false" }}

),

published as (

    select
        {% if keys %}{{ dms_snapshots.column_names(keys) }},{% endif %}
        count(*) as row_count
    from {{ model }}
    where {{ dms_snapshots.newest_rows_filter(model) }}
    {% if keys %}group by {{ dms_snapshots.column_names(keys) }}{% endif %}

),

written as (

    select
        _metadata.file_name as file_name,
        count(*) as row_count
    from {{ model }}
    where {{ dms_snapshots.newest_rows_filter(model) }}
    group by _metadata.file_name

),

counted as (

    select coalesce(sum(row_count), 0) as row_count
    from published

)

select
    cast(null as string) as row_key,
    newest.rows_after as rows_expected,
    counted.row_count as rows_found,
    if(newest.rows_counted <> newest.rows_after,
        'before + inserted - deleted is not after',
        'the version history and the published rows differ') as what
from newest
cross join counted
where newest.rows_after <> counted.row_count or newest.rows_counted <> newest.rows_after

union all

select
    written.file_name as row_key,
    cast(0 as bigint) as rows_expected,
    written.row_count as rows_found,
    'the file was written by hand: dbt run-operation repair' as what
from newest
cross join written
where not array_contains(newest.files, written.file_name)
{% if keys %}
union all

select
    to_json(struct({{ dms_snapshots.column_names(keys) }})) as row_key,
    cast(1 as bigint) as rows_expected,
    row_count as rows_found,
    'rows share a key, or a part of it is NULL' as what
from published
where
    row_count > 1
    {% for key in keys %}
        or {{ dms_snapshots.sql_name(key) }} is null
    {% endfor %}
{% endif %}
{%- endset %}
{{ dms_snapshots.unless_passed(model, statement) }}
{% endtest %}
