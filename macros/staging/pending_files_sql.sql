{% macro pending_files_sql(files_sql, declared, base, head, is_quick=false) %}
    {#-
        The files that a run has to take: those up to the end of its date that its base has not
        applied. Files seen since the version before the base are compared one by one, so that
        two runs that overlap cannot make each other forget a file; so are files that were reapplied.
        A file whose newest upload was rolled back is left out; but of what the state has applied an
        earlier upload is asked for again, so that its changes are not lost in silence. To leave out
        what is gone and was replaced by a later full load, and to take what is back and was never
        taken, takes time; without that (is_quick), one row of the kind vanished or returned says
        whether anything has gone or come back meanwhile, and one of the kind unknown, which is the newest.
    -#}
{% set has_withheld = head and head.withheld_count %}
{% set has_readmitted = base and head.readmitted_count %}
{% set entries = ledger_entries(declared) if has_withheld or has_readmitted else {} %}
{% set is_newer = newer_files_sql(base) %}
{% set takes_returns = base and not is_quick %}
{% set indexes = "model." ~ project_name ~ ".dms_files" in selected_resources %}
with
{% if has_withheld %}
withheld as (

    -- What was rolled back does not come again by itself.
    select inline(withheld) as (path, etag)
    from {{ ref("snapshot_versions") }}
    where {{ version_filter(declared, head.version) }}

),

in_state as (

    select inline(files) as (path, etag)
    from {{ ref("snapshot_versions") }}
    where {{ versions_filter(declared, applied_versions(entries, head.version)) }}

),
{% endif %}

{% if takes_returns %}
-- Whatever was tried since the base, a run that is repeated takes the same.
untaken_returns as (

    select
        noted.path,
        noted.etag
    from ({{ files_sql }}) as noted
    left anti join (
        select inline(files) as (path, etag)
        from {{ ref("snapshot_versions") }}
        where {{ table_filter(declared) }} and version <= {{ base.version }}
        {% if has_withheld %}

        union all

        select * from withheld
        {% endif %}
    ) as taken
        on noted.path = taken.path and noted.etag = taken.etag
    where noted.kind = 'returned' and noted.generation >= {{ base.generation }}
    group by noted.path, noted.etag

),
{% endif %}

files as (

    select
        files.*,
        -- What is back and was never taken is as new as any other.
        {% if takes_returns %}if(untaken_returns.path is not null and kind = 'returned', if(file_time is null, 'load', 'cdc'), kind){% else %}kind{% endif %} as read_as
    from ({{ files_sql }}) as files
    {% if takes_returns %}
    left join untaken_returns on files.path = untaken_returns.path and files.etag = untaken_returns.etag
    {% endif %}
    {% if has_withheld %}
    left anti join (
        select withheld.*
        from withheld
        left semi join in_state on withheld.path = in_state.path
    ) as replaced
        on files.path = replaced.path and files.etag = replaced.etag
    {% endif %}

),

-- A file uploaded again under its name counts once, as it is now, or not if that was rolled back:
-- the upload before it is not taken after it, in none of the later runs. A file that was put in the
-- place of another may be the older one, so what was noted last is what is there now.
ranked as (

    select
        *,
        row_number() over (
            partition by {{ "if(read_as in ('vanished', 'returned', 'unknown'), read_as, path)" if is_quick else "path" }}
            order by indexed_at desc, modified_at desc
        ) as recency
    from files
    where
        {% if not has_readmitted %}{{ is_newer }} and{% endif %}

        -- What a run that overlaps with this one indexes meanwhile is taken by the next.
        indexed_at <= {{ run_started() }}
        and (
            read_as = 'load'
            {{ "or read_as in ('vanished', 'returned', 'unknown')" if is_quick }}
            or read_as = 'cdc'
            and file_time < date_add(date'{{ run_date() }}', 1)
            {% if declared.cdc_start_date %}and file_time >= date'{{ declared.cdc_start_date }}'{% endif %}

            {#- Of a run without the index, pending_files leaves out what a later one has not found again. -#}
            or read_as in ('unlisted', 'retimed', 'empty') and {{ "indexed_at = " ~ run_started() if indexes else "run_date = date'" ~ run_date() ~ "'" }}
        )

),

newest_uploads as (

    select * from ranked
    where recency = 1

),

{% if base %}
applied as (

    select inline(files) as (path, etag)
    from {{ ref("snapshot_versions") }}
    where {{ version_filter(declared, base.version) }}

),

{% if has_readmitted %}
readmitted as (

    select readmitted.*
    from (
        select inline(readmitted) as (path, etag)
        from {{ ref("snapshot_versions") }}
        where {{ version_filter(declared, head.version) }}
    ) as readmitted
    left anti join (
        select inline(files) as (path, etag)
        from {{ ref("snapshot_versions") }}
        where {{ versions_filter(declared, applied_versions(entries, base.version)) }}
    ) as in_base
        on readmitted.path = in_base.path and readmitted.etag = in_base.etag

),
{% endif %}

unapplied as (

    select newest_uploads.*
    from newest_uploads
    left anti join applied
        on
            newest_uploads.path = applied.path
            and newest_uploads.etag = applied.etag
            and newest_uploads.read_as not in ('vanished', 'returned')
    {% if has_readmitted %}
    left join readmitted on newest_uploads.path = readmitted.path and newest_uploads.etag = readmitted.etag
    where
        {{ is_newer }}
        or readmitted.path is not null and newest_uploads.generation >= {{ base.generation }}
    {% endif %}

)
{% else %}
unapplied as (

    select * from newest_uploads

)
{% endif %}

select
    path,
    size,
    read_as as kind,
    etag,
    generation,
    file_seq,
    cast(indexed_at as string) as indexed_at,
    {{ run_version_sql("indexed_at") }} as noted_by,
    {% if base %}{{ run_version_sql("indexed_at") }} > {{ sql_string(base.indexed_through_run or "") }} or file_time >= date_add(date'{{ base.run_date }}', 1){% else %}true{% endif %} as is_new,
    problem
from unapplied
{% if has_withheld %}
left anti join withheld
    on unapplied.path = withheld.path and unapplied.etag = withheld.etag and unapplied.read_as not in ('vanished', 'returned')
{% endif %}
{% if not is_quick %}
left anti join (
    select path, etag
    from ({{ vanished_files_sql(files_sql) }})
    where is_vanished and is_replaced
) as replaced_files
    on unapplied.path = replaced_files.path and unapplied.etag = replaced_files.etag
{% endif %}
{% endmacro %}
