{% macro rollback_to(select=none, to=none, dry_run=true) %}
    {% call(table, state, attempt) dms_snapshots._each_table(select, dry_run) %}
        {% set target = dms_snapshots._version_of(table.declared, state, to) %}
        {% if dms_snapshots.origin_version(state.entries, target) != dms_snapshots.origin_version(
            state.entries, state.newest
        ) %}
            {% do dms_snapshots._restore(table, state, target, "rollback_to", attempt) %}
        {% elif attempt.reports %}
            {% do print(table.declared.label ~ ": is at the state of version " ~ target ~ " already") %}
        {% endif %}
    {% endcall %}
    {% do dms_snapshots._next_command("rollback_to", {"select": select, "to": to}, dry_run,
        "fix the source and run dbt run for the dates again; or dbt run-operation reapply, which undoes this") %}
{% endmacro %}


{% macro _version_of(declared, state, to) %}
    {% set wanted, of_date, entries = to | string, {}, state.entries %}
    {% for entry in entries.values() if entry.current_version == entry.version %}
        {% do of_date.update({entry.run_date: entry.version}) %}
        {% for date in (state.recorded[entry.version].dates if entry.version in state.recorded else []) %}
            {% do of_date.update({date: entry.version}) %}
        {% endfor %}
    {% endfor %}
    {% for date, version in state.whole.dates.items() if entries[version].current_version == version %}
        {% do of_date.update({date: version}) %}
    {% endfor %}
    {% if modules.re.match("^[0-9]+$", wanted) %}
        {% if wanted | int in entries %}{% do return(wanted | int) %}{% endif %}
    {% elif wanted in of_date %}
        {% do return(of_date[wanted]) %}
    {% endif %}
    {% do dms_snapshots.fail(
        "E413",
        declared.label,
        "to is " ~ ("missing" if to is none else wanted) ~ ", which is no version and no published date",
        "Nothing was changed.",
        "Allowed are versions 1 to " ~ state.newest ~ " and the dates " ~ of_date | sort | join(", ")
        ~ ": dbt run-operation versions"
    ) %}
{% endmacro %}
