{% macro _vacuum_table(table, state, retention, written_before, dry_run) %}
    {#-
        What is needed is asked before the version is recorded, and only files from before this command
        are deleted: a run that began from an older version fails then, and what a later one writes is younger.
    -#}
    {% set declared = table.declared %}
    {% set days = retention if retention is not none else declared.retention %}
    {% set kept = _kept_versions(declared, state, days) %}
    {% set folders, root = _kept_folders(declared, kept), state.whole.current.root %}
    {% set areas = [{"root": root, "needed": folders["rows"] + folders.feed}] %}
    {% do areas.extend(_log_areas(declared, folders) + _history_areas(table, state, kept)) %}
    {% set job = {"areas": areas, "written_before": written_before} %}
    {% set found = _vacuumed_folders(dict(job, delete=false)) %}
    {% if found and not dry_run %}
        {#- First the version: a command that began from the one before it, and may want what goes, then fails. -#}
        {% do commit_version(declared, state.version, manifest=_restored_manifest(declared, state, state.newest, "vacuum")) %}
        {% do record_dates([published_record(declared, state.version)]) %}
        {% if newest_numbers([declared])[declared.label] != state.version %}
            {% do fail(
                declared.label, "another command has published a version while this one looked for files", "Nothing was deleted.",
                "Give the command again."
            ) %}
        {% endif %}
        {% set found = _vacuumed_folders(dict(job, delete=true)) %}
    {% endif %}
    {% do _report_vacuumed(
        declared.label, found, dry_run, "; kept: " ~ kept | length ~ " of " ~ state.entries | length ~ " versions"
        ~ (", the last " ~ days ~ " days and what is shown" if days is not none else "")
    ) %}
{% endmacro %}
