{% macro replay(select=none, dry_run=true) %}
    {% call(table, state, attempt) dms_snapshots._each_table(select, dry_run) %}
        {% set job = dms_snapshots._replay_job(table.declared, state) %}
        {% if attempt.dry_run and attempt.reports %}
            {% do print(
                table.declared.label ~ ": would build the state of " ~ state.whole.current.run_date
                ~ " from the full load and all changes in staging, and show it instead of version "
                ~ state.newest ~ " (" ~ dms_snapshots.counted(state.whole.current.rows_after, "row") ~ ")"
            ) %}
        {% elif not attempt.dry_run %}
            {% do dms_snapshots._replay_table(table, state, job) %}
        {% endif %}
    {% endcall %}
    {% do dms_snapshots._next_command(
        "replay", {"select": select}, dry_run, "dbt test; dbt run-operation rollback undoes this"
    ) %}
{% endmacro %}
