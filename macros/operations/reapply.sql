{% macro reapply(select=none, dry_run=true) %}
    {% call(table, state, attempt) dms_snapshots._each_table(select, dry_run) %}
        {% set entries = state.entries %}
        {% set newest = entries.values() | rejectattr("action", "equalto", "vacuum") | list | last %}
        {#- After two rollbacks the first reapply takes back the second, and the next one the first. -#}
        {% set undoing = entries[newest.restored_version] if newest.action == "reapply" else newest %}
        {% if undoing.action in ["rollback", "rollback_to"] %}
            {% do dms_snapshots._restore(table, state, undoing.version - 1, "reapply", attempt) %}
        {% else %}
            {% do dms_snapshots._include_again(table, state, attempt) %}
        {% endif %}
    {% endcall %}
    {% do dms_snapshots._next_command(
        "reapply", {"select": select}, dry_run, "dbt run, as every day; dbt run-operation rollback undoes this"
    ) %}
{% endmacro %}
