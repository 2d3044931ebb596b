{% macro _check_unstaged_files(declared, newest, making) %}
    {% set rows = dms_snapshots.query_rows(dms_snapshots._unstaged_files_sql(declared, newest, making)) %}
    {% if rows %}
        {% do dms_snapshots.fail(
            "E423",
            declared.label,
            "the snapshot of " ~ making.date ~ " would lack " ~ dms_snapshots.counted(rows | length, "file")
            ~ " (for instance " ~ rows[0].path ~ "), because a newer full load was published before that date was run",
            "Nothing was changed.",
            "Leave this date out of from_date and to_date. Another way: docs/how-to/operations.md, Dates are missing."
        ) %}
    {% endif %}
{% endmacro %}


{% macro _unstaged_files_sql(declared, newest, making) -%}
    {% set built_on, has_before = making.built_on, making.has_before %}
    {% set generations = built_on.generations %}
    {#- A copy in another folder has the same name. Folders of one table have other files of the same names. -#}
    {% set name = "path" if built_on.shards else "substring_index(path, '/', -1)" %}
    {% set history = dms_snapshots.named_relation("snapshot_versions") %}
with expected as (

    select
        path,
        max_by(etag, indexed_at) as etag
    from {{ dms_snapshots.named_relation("dms_files") }}
    where
        {{ dms_snapshots.table_filter(declared) }}
        and kind in ('cdc', 'missing', 'restored')
        and file_time < date_add(date'{{ making.date }}', 1)
        {{ "and file_time >= date'" ~ declared.cdc_start_date ~ "'" if declared.cdc_start_date }}
        and (
            {%- for generation in generations %}
            {{ "or " if not loop.first -}}
            generation >= {{ generation }}
            and {{ dms_snapshots.folder_number_sql("generation") }} = {{ dms_snapshots.folder_number_sql(generation) }}
            {%- endfor %}
        )
    group by path
    -- What a person has said not to be needed (allow_missing_files) is lacked by no date.
    having coalesce(max_by(problem, indexed_at), '') <> 'ignored'
    {%- if not has_before %}

    union all

    select inline(load_files) from {{ history }}
    where {{ dms_snapshots.versions_filter(declared, [built_on.version]) }}
    {%- endif %}

),

taken as (

    select {{ name }} as name
    from (select inline(files) as (path, etag) from {{ history }} where {{ dms_snapshots.versions_filter(
        declared, making.applied
    ) }})

    union

    select {{ name }} as name
    from {{ dms_snapshots.named_relation("dms_staged_files") }}
    where
        {{ dms_snapshots.table_filter(declared) }}
        and {{ dms_snapshots.of_generations_sql("generation", generations) }}

),

excluded as (

    select inline(excluded_files) as (path, etag) from {{ history }}
    where {{ dms_snapshots.versions_filter(declared, [newest]) }}

)

select expected.path
from (select *, {{ name }} as name from expected) as expected
left anti join taken on expected.name = taken.name
left anti join excluded on expected.path = excluded.path and expected.etag = excluded.etag
order by expected.path
{% endmacro %}
