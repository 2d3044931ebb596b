{% macro _vacuum_table(table, state, retention, written_before, dry_run) %}
    {#-
        What is needed is asked before the version is recorded, and only files from before this command
        are deleted: a run that began from an older version fails then, and what a later one writes is younger.
    -#}
    {% set declared = table.declared %}
    {% set days = retention if retention is not none else declared.retention %}
    {% set kept = _kept_versions(declared, state, days) %}
    {% set areas = [{"root": state.root, "needed": _kept_folders(declared, kept)}, _staging_area(declared)] %}
    {% do areas.extend(_log_areas(declared) + _history_areas(table, kept)) %}
    {% set job = {"areas": areas, "written_before": written_before} %}
    {% set folders = _vacuumed_folders(dict(job, delete=false)) %}
    {% if folders and not dry_run %}
        {#- First the version: a command that began from the one before it, and may want what goes, then fails. -#}
        {% do commit_version(declared, state.version, _restored_sql(declared, state, ledger_entries(declared), state.newest, "vacuum")) %}
        {% do mark_published(table.relation, declared, state, state.version) %}
        {% if table_versions(declared) | last != state.version %}
            {% do exceptions.raise_compiler_error(
                declared.label ~ ": another command has published a version while this one looked for files. Nothing was deleted. "
                ~ "Give the command again."
            ) %}
        {% endif %}
        {% set folders = _vacuumed_folders(dict(job, delete=true)) %}
    {% endif %}
    {% do _tell_vacuumed(
        declared.label, folders, dry_run, "; kept: " ~ kept | length ~ " of " ~ table_versions(declared) | length ~ " versions"
        ~ (", the last " ~ days ~ " days and what is shown" if days is not none else "")
    ) %}
{% endmacro %}
