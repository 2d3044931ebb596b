{% macro rollback(select=none, dry_run=true) %}
    {% call(table, state, attempt) dms_snapshots._each_table(select, dry_run) %}
        {% set target = dms_snapshots._version_before(state.entries, state.newest) %}
        {% if target is none %}
            {% do dms_snapshots.fail(
                "E413",
                table.declared.label,
                "version " ~ state.newest ~ " has no change before it to go back to",
                "Nothing was changed.",
                "See what there is: dbt run-operation versions"
            ) %}
        {% endif %}
        {% do dms_snapshots._restore(table, state, target, "rollback", attempt) %}
    {% endcall %}
    {% do dms_snapshots._next_command("rollback", {"select": select}, dry_run,
        "fix the source and run dbt run for the date again; or dbt run-operation reapply, which undoes this") %}
{% endmacro %}
