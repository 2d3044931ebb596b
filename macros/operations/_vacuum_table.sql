{% macro _vacuum_table(table, state, retention, grace_hours, dry_run) %}
    {% set declared = table.declared %}
    {% set days = retention if retention is not none else declared.retention %}
    {% set kept = _kept_versions(declared, state, days) %}
    {% set slices = read_slices(declared, table_versions(declared)) %}
    {#- The changes of versions that are gone are shown as long as their dates are in the feed of a kept one. -#}
    {% set feeds = feed_folders(declared, slices.keys() | list) %}
    {% set feed_dates = read_dates(declared, kept, "feed_dates") %}
    {% set versions = [] %}
    {% for version, parts in slices.items() %}
        {% set locations = parts | map(attribute="location") | list %}
        {% for number in [version] + (feed_dates[version].values() | list if version in kept else []) if number in feeds %}
            {% do locations.append(feeds[number]) %}
        {% endfor %}
        {% do versions.append({"version": version, "is_kept": version in kept, "locations": locations}) %}
    {% endfor %}
    {% set job = {"root": state.root, "versions": versions, "grace_seconds": grace_hours * 3600} %}
    {% set folders = _vacuumed_folders(dict(job, delete=false)) %}
    {% if folders and not dry_run %}
        {#- First the version: a command that began from the one before it, and may want what goes, then fails. -#}
        {% do commit_version(declared, state.version, _restored_sql(declared, state, _ledger_entries(declared), state.newest, "vacuum")) %}
        {% do mark_published(table.relation, declared, state, state.version) %}
        {% if table_versions(declared) | last != state.version %}
            {% do exceptions.raise_compiler_error(
                declared.label ~ ": another command has published a version while this one looked for files. Nothing was deleted. "
                ~ "Give the command again."
            ) %}
        {% endif %}
        {% set folders = _vacuumed_folders(dict(job, delete=true)) %}
    {% endif %}
    {% set lines = [
        declared.label ~ ": " ~ ("would delete " if dry_run else "deleted ") ~ folders | sum(attribute="file_count") ~ " files ("
        ~ folders | sum(attribute="size") ~ " bytes) in " ~ folders | length ~ " folders; kept: " ~ kept | length ~ " of "
        ~ slices | length ~ " versions" ~ (", the last " ~ days ~ " days and what is shown" if days is not none else "")
    ] %}
    {% for folder in folders[:20] %}{% do lines.append(folder.folder ~ "  " ~ folder.file_count ~ " files") %}{% endfor %}
    {% do print(lines | join("\n    ")) %}
{% endmacro %}
