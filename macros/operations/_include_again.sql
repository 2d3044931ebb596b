{% macro _include_again(table, state, attempt) %}
    {% set declared = table.declared %}
    {% set versions = dms_snapshots._excluded_versions(state) %}
    {% if not versions %}
        {% do dms_snapshots.fail(
            "E416",
            declared.label,
            "no file is excluded that the full load of today would take, so there is nothing to reapply",
            "Nothing was changed.",
            "Any version that the lake still has: dbt run-operation rollback_to"
        ) %}
    {% endif %}
    {% set files = dms_snapshots.query_rows(
        dms_snapshots._excluded_files_sql(declared, state, versions)
    ) | sort(attribute="path") %}
    {% set gone = files | selectattr("state", "equalto", "missing") | map(attribute="path") | list %}
    {% set left = files | selectattr("state", "equalto", "there") | list %}
    {% if gone or not left %}
        {% do dms_snapshots.fail(
            "E417",
            declared.label,
            "the files of the undone versions (" ~ versions | join(", ") ~ ") cannot be included again: "
            ~ (gone | length ~ " are missing, for instance " ~ gone[0] if gone
                else "all were uploaded again, or belong to a full load that another full load replaces"),
            "Nothing was changed.",
            (
                "Put them back as they were and let dbt run index them, or go" if gone
                else "What was uploaded last is taken by dbt run; or go"
            )
            ~ " to a version that has them while its files are in the lake: "
            ~ "dbt run-operation versions, then rollback_to"
        ) %}
    {% endif %}
    {% if not attempt.dry_run %}
        {% do dms_snapshots.commit_and_publish(
            table.relation, declared, state,
            dms_snapshots._restored_manifest(declared, state, state.newest, "reapply", versions)
        ) %}
    {% endif %}
    {% set run_dates = [state.whole.dates.keys() | max if state.whole.dates else "", state.whole.current.run_date] %}
    {% for version in versions %}{% do run_dates.append(state.entries[version].run_date) %}{% endfor %}
    {% if attempt.reports %}
        {% do print(
            declared.label ~ ": the files of the undone versions (" ~ versions | join(", ") ~ ") "
            ~ ("would be" if attempt.dry_run else "are") ~ " no longer excluded: " ~ left | length
            ~ ". Versions were published since, so readers see them when a run has put them in their place among "
            ~ "the other changes: dbt run --select +" ~ table.relation.identifier ~ dms_snapshots.given_target()
            ~ " --vars '{run_date: " ~ run_dates | max ~ "}', or that of any later date"
        ) %}
    {% endif %}
{% endmacro %}


{% macro _excluded_files_sql(declared, state, versions) -%}
with excluded as (

    select inline(excluded_files) as (path, etag)
    from {{ ref("dms_snapshots", "snapshot_versions") }}
    where {{ dms_snapshots.versions_filter(declared, [state.newest]) }}

),

files as (

    select distinct path, etag
    from (
        select inline(files) as (path, etag)
        from {{ ref("dms_snapshots", "snapshot_versions") }}
        where {{ dms_snapshots.versions_filter(declared, versions) }}
    )
    left semi join excluded using (path, etag)

),

indexed as (

    select path, max_by(struct(kind, etag, generation), indexed_at) as last
    from {{ ref("dms_snapshots", "dms_files") }}
    where {{ dms_snapshots.table_filter(declared) }}
    group by path

),

newest_load as (

    -- A full load that is excluded itself replaces nothing, and one of another folder neither.
    select
        {{ dms_snapshots.folder_number_sql("indexed.last.generation") }} as folder,
        max(indexed.last.generation) as generation
    from indexed
    left anti join excluded on indexed.path = excluded.path and indexed.last.etag = excluded.etag
    where indexed.last.kind in ('load', 'restored')
    group by {{ dms_snapshots.folder_number_sql("indexed.last.generation") }}

)

select
    files.path,
    case
        when indexed.last.kind = 'missing' then 'missing'
        when indexed.last.etag <> files.etag or indexed.last.generation < newest_load.generation then 'replaced'
        else 'there'
    end as state
from files
left join indexed on files.path = indexed.path
left join newest_load on {{ dms_snapshots.folder_number_sql("indexed.last.generation") }} = newest_load.folder
{% endmacro %}


{% macro _excluded_versions(state) %}
    {% set entries, excluded, holding = state.entries, {}, [] %}
    {% for file in state.whole.newest.excluded_files %}
        {% do excluded.update({file.path ~ "\n" ~ file.etag: true}) %}
    {% endfor %}
    {% set current = state.whole.current %}
    {% for entry in entries.values() if current.shards or entry.generation >= current.generation %}
        {% for path, etag in entry.files if path ~ "\n" ~ etag in excluded %}
            {% do holding.append(entry.version) %}
        {% endfor %}
    {% endfor %}
    {% for entry in entries.values() | list | reverse if holding and entry.action in ["rollback", "rollback_to"] %}
        {% set undone = (
            dms_snapshots.applied_versions(entries, entry.version - 1) | reject(
                "in", dms_snapshots.applied_versions(entries, entry.version)
            )
        ) %}
        {% set found = undone | select("in", holding) | sort %}
        {% if found %}{% do return(found) %}{% endif %}
    {% endfor %}
    {% do return([]) %}
{% endmacro %}
