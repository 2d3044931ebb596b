{% macro reapply(select=none, dry_run=true) %}
    {#- Takes back a rollback, as long as nothing was published since. -#}
    {% for table in _selected_tables(select) %}
        {% set state = _published_state(table, dry_run) %}
        {% if state %}
            {% set entries = _ledger_entries(table.declared) %}
            {% set newest = entries.values() | rejectattr("action", "equalto", "vacuum") | list | last %}
            {% if newest.action not in ["rollback", "rollback_to"] %}
                {% do exceptions.raise_compiler_error(
                    table.declared.label ~ ": the newest version, " ~ state.newest ~ ", is no rollback but " ~ newest.action
                    ~ ", so there is nothing to reapply. Nothing was changed. Any version that the lake still has is reached by "
                    ~ "dbt run-operation rollback_to."
                ) %}
            {% endif %}
            {% do _restore(table, state, entries, newest.version - 1, "reapply", dry_run) %}
        {% endif %}
    {% endfor %}
    {% do _next_command("reapply", {"select": select}, dry_run, "dbt run, as every day; dbt run-operation rollback undoes this") %}
{% endmacro %}
