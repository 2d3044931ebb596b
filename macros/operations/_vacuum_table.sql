{% macro _vacuum_table(table, state, retention, grace_hours, dry_run) %}
    {% set declared = table.declared %}
    {% set days = retention if retention is not none else declared.retention %}
    {% set kept = _kept_versions(declared, state, days) %}
    {% set slices = read_slices(declared, table_versions(declared)) %}
    {% set versions = [] %}
    {% for version, parts in slices.items() %}
        {% do versions.append({"version": version, "is_kept": version in kept, "locations": parts | map(attribute="location") | list}) %}
    {% endfor %}
    {% set job = {"root": state.root, "versions": versions, "grace_seconds": grace_hours * 3600, "delete": not dry_run} %}
    {% do run_query(
        "create or replace temporary view dms_vacuumed (folder string, file_count bigint, size bigint) using dms_vacuum options (job "
        ~ sql_string(tojson(job)) ~ ")"
    ) %}
    {#- Read once, so not sorted in SQL: reading it is what deletes. -#}
    {% set folders = query_rows("select folder, file_count, size from dms_vacuumed") | sort(attribute="folder") %}
    {% if folders and not dry_run %}
        {% do commit_version(declared, state.version, _restored_sql(declared, state, _ledger_entries(declared), state.newest, "vacuum")) %}
        {% do mark_published(table.relation, declared, state, state.version) %}
    {% endif %}
    {% set lines = [
        declared.label ~ ": " ~ ("would delete " if dry_run else "deleted ") ~ folders | sum(attribute="file_count") ~ " files ("
        ~ folders | sum(attribute="size") ~ " bytes) in " ~ folders | length ~ " folders; kept: " ~ kept | length ~ " of "
        ~ slices | length ~ " versions" ~ (", the last " ~ days ~ " days and what is shown" if days is not none else "")
    ] %}
    {% for folder in folders[:20] %}{% do lines.append(folder.folder ~ "  " ~ folder.file_count ~ " files") %}{% endfor %}
    {% do print(lines | join("\n    ")) %}
{% endmacro %}
