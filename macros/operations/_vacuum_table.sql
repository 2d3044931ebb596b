{% macro _vacuum_table(table, state, retention, written_before, dry_run) %}
    {% set declared = table.declared %}
    {% set days = retention if retention is not none else declared.retention %}
    {% set kept = dms_snapshots._kept_versions(declared, state, days) %}
    {% set folders, root = dms_snapshots._kept_folders(declared, kept), state.whole.current.root %}
    {% set areas = [{"root": root, "needed": folders["rows"] + folders.feed}] %}
    {% do areas.extend(
        dms_snapshots._log_areas(declared, folders) + dms_snapshots._history_areas(table, state, kept)
    ) %}
    {% set job = {"areas": areas, "written_before": written_before} %}
    {% set found = dms_snapshots._vacuumed_folders(dict(job, delete=false)) %}
    {% if found and not dry_run %}
        {#-
            First the version: a command that began from the one before it, and may want what goes, then fails. That
            it is published takes away a date that a dead command has shown and not recorded: its files may go.
        -#}
        {% do dms_snapshots.commit_and_publish(
            table.relation, declared, state,
            dms_snapshots._restored_manifest(declared, state, state.newest, "vacuum")
        ) %}
        {% if dms_snapshots.newest_numbers([declared])[declared.label] != state.version %}
            {% do dms_snapshots.fail(
                "E401",
                declared.label,
                "another command has published a version while this one looked for files",
                "Nothing was deleted.",
                "Give the command again."
            ) %}
        {% endif %}
        {% set found = dms_snapshots._vacuumed_folders(dict(job, delete=true)) %}
    {% endif %}
    {% do dms_snapshots._report_vacuumed(
        declared.label, found, dry_run, "; kept: " ~ kept | length ~ " of " ~ state.entries | length ~ " versions"
        ~ (", the last " ~ days ~ " days and what is shown" if days is not none else "")
    ) %}
    {% do return(found) %}
{% endmacro %}


{% macro _history_areas(table, state, kept) %}
    {% set areas = [] %}
    {% for node in graph.nodes.values()
        if node.resource_type == "snapshot" and table.node.unique_id in node.depends_on.nodes %}
        {% set relation = api.Relation.create(schema=node.schema, identifier=node.alias, type="table") %}
        {% if load_relation(relation) is not none %}
            {% set root = dms_snapshots.table_location(relation) %}
            {% set dates, closed = dms_snapshots.history_dates(relation), [] %}
            {% set needed = dms_snapshots.history_folders(relation, dates) %}
            {% for folder in needed if dates[loop.index0] != dms_snapshots.open_date() %}
                {% set parts = folder.split("/") %}
                {% do closed.append({
                    "run_date": dates[loop.index0], "version": parts[-3] | int, "open": parts[:-1] | join("/") ~ "/open"
                }) %}
            {% endfor %}
            {% for location in dms_snapshots._open_folders(state.entries, closed, kept) %}
                {% do needed.append(location) %}
            {% endfor %}
            {% do areas.append(dms_snapshots._area(root, needed, 3)) %}
        {% endif %}
    {% endfor %}
    {% do return(areas) %}
{% endmacro %}


{% macro _kept_folders(declared, kept) %}
    {% set folders, fed = {"rows": [], "feed": [], "staged": [], "reports": [], "rejects": []}, [] %}
    {% for manifest in dms_snapshots.whole_manifests(declared, kept).values() %}
        {% do folders["rows"].extend(manifest.partitions | map(attribute="location")) %}
        {% do folders.staged.extend(manifest.staged | map(attribute="folder")) %}
        {% do folders.reports.extend(manifest.staged | map(attribute="report")) %}
        {% do folders.rejects.extend(manifest.staged | map(attribute="rejects") | select) %}
        {% do fed.append(manifest.version) %}
        {% do fed.extend((manifest.feed_dates or []) | map(attribute="version")) %}
    {% endfor %}
    {% do folders.feed.extend(dms_snapshots.feed_folders(declared, fed | unique | list).values()) %}
    {% do return(folders) %}
{% endmacro %}


{% macro _kept_versions(declared, state, days) %}
    {% if days is none %}{% do return(state.entries.keys() | list) %}{% endif %}
    {% set whole, kept = state.whole, {} %}
    {% for number in [state.newest, whole.current.version, whole.current.base_version] if number is not none %}
        {% do kept.update({number: true}) %}
    {% endfor %}
    {% if declared.change_feed %}
        {% set feed_start = dms_snapshots.feed_base(declared, whole, whole.current.run_date, none) %}
        {% if feed_start %}{% do kept.update({feed_start.version: true}) %}{% endif %}
    {% endif %}
    {% set rows = dms_snapshots.query_rows(
        "select version, transform(coalesce(dates, array()), shown -> shown.version) as shown,"
        ~ " unix_micros(finished_at) as finished from " ~ ref("dms_snapshots", "snapshot_versions")
        ~ " where " ~ dms_snapshots.table_filter(declared)
    ) | sort(attribute="version") %}
    {% set since = (run_started_at.timestamp() - days * 86400) * 1000000 %}
    {% for row in rows %}
        {% if not loop.last and rows[loop.index].finished >= since %}
            {% do kept.update({row.version: true}) %}
        {% endif %}
    {% endfor %}
    {% for row in rows if row.version in kept %}
        {% for number in row.shown %}{% do kept.update({number: true}) %}{% endfor %}
    {% endfor %}
    {% for number in whole.dates.values() %}{% do kept.update({number: true}) %}{% endfor %}
    {% do return(kept.keys() | sort) %}
{% endmacro %}


{% macro _open_folders(entries, closed, versions) %}
    {% set made, taken = {}, {} %}
    {% for partition in closed %}{% do made.update({partition.version: partition}) %}{% endfor %}
    {% for version, entry in entries.items() %}
        {% if entry.current_version != version %}
            {% set partitions = taken.get(entry.current_version, []) %}
        {% elif entry.restored_version is not none %}
            {% set partitions = taken.get(entry.restored_version, []) %}
        {% elif entry.base_version is not none %}
            {% set partitions = taken.get(entry.base_version, []) %}
        {% else %}
            {% set replaced = taken.get(version - 1, []) %}
            {% set partitions = replaced | selectattr("run_date", "lt", entry.run_date) | list %}
        {% endif %}
        {% do taken.update({version: partitions + ([made[version]] if version in made else [])}) %}
    {% endfor %}
    {% set folders = [] %}
    {% for version in versions if taken[version] %}{% do folders.append((taken[version] | last).open) %}{% endfor %}
    {% do return(folders | unique | list) %}
{% endmacro %}
