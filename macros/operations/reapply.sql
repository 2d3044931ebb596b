{% macro reapply(select=none, dry_run=true) %}
    {#- Takes back a rollback; if something was published since, by taking the files of DMS again. -#}
    {% for table in _selected_tables(select) %}
        {% set state = _published_state(table, dry_run) %}
        {% if state %}
            {% set entries = _ledger_entries(table.declared) %}
            {% set newest = entries.values() | rejectattr("action", "equalto", "vacuum") | list | last %}
            {% if newest.action in ["rollback", "rollback_to"] %}
                {% do _restore(table, state, entries, newest.version - 1, "reapply", dry_run) %}
            {% else %}
                {% do _readmit(table, state, entries, dry_run) %}
            {% endif %}
        {% endif %}
    {% endfor %}
    {% do _next_command("reapply", {"select": select}, dry_run, "dbt run, as every day; dbt run-operation rollback undoes this") %}
{% endmacro %}
