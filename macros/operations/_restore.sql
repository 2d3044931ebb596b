{% macro _restore(table, state, target, action, attempt) %}
    {% set declared, relation = table.declared, table.relation %}
    {% set old, whole = state.whole, dms_snapshots.versions_at(declared, target, state.recorded) %}
    {% set current = whole.current %}
    {% if current.layout != dms_snapshots.layout(declared) %}
        {% do dms_snapshots.fail(
            "E414",
            declared.label,
            "version " ~ target ~ " was published as " ~ current.layout ~ ", the table is now "
            ~ dms_snapshots.layout(declared),
            "Nothing was changed.",
            "Go to a version of the same layout: dbt run-operation versions"
        ) %}
    {% endif %}
    {% if not dms_snapshots.has_no_files(current) %}
        {% do dms_snapshots.check_declared_since(declared, current, "build_on") %}
    {% endif %}
    {% do dms_snapshots._check_folders(declared, state, target, whole) %}
    {% set manifest = dms_snapshots._restored_manifest(declared, state, target, action) %}
    {% set now, then = dms_snapshots.applied_versions(
        state.entries, state.newest
    ), dms_snapshots.applied_versions(state.entries, target) %}
    {% set undone = now | reject("in", then) | list %}
    {% set before = old.newest.excluded_files | map("tojson") | list %}
    {% set excluded_paths, applied_paths = [], [] %}
    {% for file in manifest.excluded_files if file | tojson not in before %}
        {% do excluded_paths.append(file.path) %}
    {% endfor %}
    {% set excluded = excluded_paths | length %}
    {#- A later upload has replaced what the state was built from: what reads that file again fails (E205). -#}
    {% for version in then if excluded %}
        {% for path, etag in state.entries[version].files if path in excluded_paths %}
            {% do applied_paths.append(path) %}
        {% endfor %}
    {% endfor %}
    {% set replaced = applied_paths | unique | sort %}
    {% set gone = old.dates.keys() | reject("in", whole.dates) | sort if declared.history else [] %}
    {% set added = whole.dates.keys() | reject("in", old.dates) | sort if declared.history else [] %}
    {% if not attempt.dry_run %}
        {% do dms_snapshots.commit_and_publish(relation, declared, state, manifest) %}
    {% endif %}
    {% set lines = [
        declared.label ~ ": " ~ ("would go" if attempt.dry_run else "went") ~ " from version " ~ state.newest
        ~ " to the state of version " ~ target ~ " (" ~ current.run_date ~ ", "
        ~ dms_snapshots.counted(current.rows_after, "row") ~ ")"
        ~ ("" if attempt.dry_run else ", as version " ~ state.version)
    ] %}
    {% if gone %}
        {% do lines.append(
            "dates that readers " ~ ("would no longer see: " if attempt.dry_run else "no longer see: ")
            ~ gone | join(", ")
        ) %}
    {% endif %}
    {% if added %}
        {% do lines.append(
            "dates that readers " ~ ("would see again: " if attempt.dry_run else "see again: ") ~ added | join(", ")
        ) %}
    {% endif %}
    {% if excluded > 0 %}
        {% do lines.append(
            "files of version " ~ undone | sort | join(", ") ~ " that " ~ ("would be" if attempt.dry_run else "are")
            ~ " excluded, so that no run takes them until reapply: " ~ excluded
        ) %}
    {% elif undone %}
        {% do lines.append(
            "no files " ~ ("would be" if attempt.dry_run else "are") ~ " excluded: version " ~ target
            ~ " has those of version " ~ undone | sort | join(", ") ~ " too"
        ) %}
    {% endif %}
    {% if replaced %}
        {% do lines.append(
            "the state has an earlier upload of " ~ replaced[:3] | join(", ")
            ~ (" and " ~ (replaced | length - 3) ~ " more" if replaced | length > 3 else "")
            ~ ", which is no longer there. Runs of later dates go on, but --full-refresh fails (E205) until it is "
            ~ "uploaded again"
        ) %}
    {% endif %}
    {% if attempt.reports %}{% do print(lines | join("\n    ")) %}{% endif %}
{% endmacro %}


{% macro _check_folders(declared, state, target, whole) %}
    {% set wanted, folders = [], [] %}
    {% for date, version in whole.dates.items() if declared.history and state.whole.dates.get(date) != version %}
        {% do wanted.append(version) %}
    {% endfor %}
    {% set partitions = (
        dms_snapshots.partitions_of(declared, wanted | unique | list).values() | sum(start=whole.current.partitions)
    ) %}
    {% for partition in partitions if partition.rows %}{% do folders.append(partition.location) %}{% endfor %}
    {% set there, fed = [], [] %}
    {% for date in state.whole.newest.feed_dates or [] %}{% do there.append(date.version) %}{% endfor %}
    {% for date in whole.newest.feed_dates or [] if date.version not in there %}
        {% do fed.append(date.version) %}
    {% endfor %}
    {% set folders = (folders + dms_snapshots.feed_folders(declared, fed).values() | list) | unique | list %}
    {% set missing = dms_snapshots.missing_folders(folders) if folders else [] %}
    {% if missing %}
        {% do dms_snapshots.fail(
            "E415",
            declared.label,
            "version " ~ target ~ " cannot be restored; its files were vacuumed, or deleted by hand, for instance "
            ~ "below\n  " ~ missing | join("\n  ") ~ "\n",
            "Nothing was changed.",
            "Choose another version (dbt run-operation versions), or build the table again with "
            ~ dms_snapshots.run_command(declared.table_name, full_refresh=true)
        ) %}
    {% endif %}
    {% do dms_snapshots.check_files(declared, target, partitions | selectattr("rows") | list, "Nothing was changed.") %}
{% endmacro %}
