{% macro rollback_to(select=none, to=none, dry_run=true) %}
    {#- Goes to the state of a version (a number) or of the end of a date (YYYY-MM-DD). -#}
    {% set tables = _selected_tables(select) %}
    {% for attempt in _attempts(tables, dry_run) %}
        {% for table in tables %}
            {% set state = _published_state(table, attempt.dry_run, tables | length == 1, attempt.tells) %}
            {% if state %}
                {% set entries = _ledger_entries(table.declared) %}
                {% set target = _version_of(table.declared, state, entries, to) %}
                {% if _origin_version(entries, target) != _origin_version(entries, state.newest) %}
                    {% do _restore(table, state, entries, target, "rollback_to", attempt.dry_run, attempt.tells) %}
                {% elif attempt.tells %}
                    {% do print(table.declared.label ~ ": is at the state of version " ~ target ~ " already") %}
                {% endif %}
            {% endif %}
        {% endfor %}
    {% endfor %}
    {% do _next_command("rollback_to", {"select": select, "to": to}, dry_run,
        "mend the source and run dbt run for the dates again; or dbt run-operation reapply, which undoes this") %}
{% endmacro %}
