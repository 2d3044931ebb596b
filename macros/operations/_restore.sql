{% macro _restore(table, state, entries, target, action, attempt) %}
    {#- Goes to the state that readers had with an earlier version, as a new version of the ledger. -#}
    {% set declared, relation = table.declared, table.relation %}
    {% set versions = read_versions(declared, [state.newest, target, entries[target].head_version]) %}
    {% set head = versions[entries[target].head_version] %}
    {% if head.layout != layout(declared) %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": version " ~ target ~ " was laid out as " ~ head.layout ~ ", the table is now " ~ layout(declared)
            ~ ". Nothing was changed. Go to a version of the same layout: dbt run-operation versions."
        ) %}
    {% endif %}
    {% do refuse_other_declaration(declared, head) %}
    {% set old, new = versions[state.newest].dates, versions[target].dates %}
    {% set needed = [] %}
    {% for date, version in new.items() if declared.history and old.get(date) != version %}{% do needed.append(version) %}{% endfor %}
    {% set folders = read_slices(declared, needed) %}
    {% do folders.update({"state": head.slices, "feed": _missing_feed(declared, versions[state.newest], versions[target])}) %}
    {% do _refuse_missing_files(declared, target, folders) %}
    {% set now, then = applied_versions(entries, state.newest), applied_versions(entries, target) %}
    {% set undone = now | reject("in", then) | list %}
    {% set withheld = _undone_file_count(declared, undone, then) %}
    {% set gone = old.keys() | reject("in", new) | list if declared.history else [] %}
    {% set added = new.keys() | reject("in", old) | list if declared.history else [] %}
    {% if not attempt.dry_run %}
        {% do commit_version(declared, state.version, _restored_sql(declared, state, entries, target, action)) %}
        {% do state.update({"newest": state.version}) %}
        {% do show_state(relation, declared, state, state.version - 1) %}
    {% endif %}
    {% set lines = [
        declared.label ~ ": " ~ ("would go" if attempt.dry_run else "went") ~ " from version " ~ ((state.version if attempt.dry_run else state.newest) - 1)
        ~ " to the state of version " ~ target ~ " (" ~ head.run_date ~ ", " ~ head.rows_after ~ " rows)"
        ~ ("" if attempt.dry_run else ", as version " ~ state.newest)
    ] %}
    {% if gone %}{% do lines.append("dates that readers " ~ ("would no longer see: " if attempt.dry_run else "no longer see: ") ~ gone | join(", ")) %}{% endif %}
    {% if added %}{% do lines.append("dates that readers " ~ ("would see again: " if attempt.dry_run else "see again: ") ~ added | join(", ")) %}{% endif %}
    {% if withheld %}
        {% do lines.append(
            "files of version " ~ undone | sort | join(", ") ~ " that " ~ ("would be" if attempt.dry_run else "are")
            ~ " withheld, so that no run takes them until reapply: " ~ withheld
        ) %}
    {% elif undone %}
        {% do lines.append("no files " ~ ("would be" if attempt.dry_run else "are") ~ " withheld: version " ~ target ~ " has those of version "
            ~ undone | sort | join(", ") ~ " too") %}
    {% endif %}
    {% if attempt.tells %}{% do print(lines | join("\n    ")) %}{% endif %}
{% endmacro %}
