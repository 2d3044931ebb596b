{% macro rollback_to(select=none, to=none, dry_run=true) %}
    {#- Goes to the state of a version (a number) or of the end of a date (YYYY-MM-DD). -#}
    {% call(table, state, attempt) _each_table(select, dry_run) %}
        {% set target = _version_of(table.declared, state, to) %}
        {% if origin_version(state.entries, target) != origin_version(state.entries, state.newest) %}
            {% do _restore(table, state, target, "rollback_to", attempt) %}
        {% elif attempt.reports %}
            {% do print(table.declared.label ~ ": is at the state of version " ~ target ~ " already") %}
        {% endif %}
    {% endcall %}
    {% do _next_command("rollback_to", {"select": select, "to": to}, dry_run,
        "mend the source and run dbt run for the dates again; or dbt run-operation reapply, which undoes this") %}
{% endmacro %}
