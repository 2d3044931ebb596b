{% macro reapply(select=none, dry_run=true) %}
    {#- Takes back a rollback; if something was published since, by taking the files of DMS again. -#}
    {% set tables = _selected_tables(select) %}
    {% for attempt in _attempts(tables, dry_run) %}
        {% for table in tables %}
            {% set state = _published_state(table, attempt.dry_run, tables | length == 1, attempt.tells) %}
            {% if state %}
                {% set entries = _ledger_entries(table.declared) %}
                {% set newest = entries.values() | rejectattr("action", "equalto", "vacuum") | list | last %}
                {% if newest.action in ["rollback", "rollback_to"] %}
                    {% do _restore(table, state, entries, newest.version - 1, "reapply", attempt.dry_run, attempt.tells) %}
                {% else %}
                    {% do _readmit(table, state, entries, attempt.dry_run, attempt.tells) %}
                {% endif %}
            {% endif %}
        {% endfor %}
    {% endfor %}
    {% do _next_command("reapply", {"select": select}, dry_run, "dbt run, as every day; dbt run-operation rollback undoes this") %}
{% endmacro %}
