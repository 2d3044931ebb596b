{% macro replay(select=none, dry_run=true) %}
    {#- Builds each selected table again from all its staged changes, beside the live version, then switches. -#}
    {% set tables = dms_snapshots._selected_tables(select) %}
    {% for table in tables %}
        {% set state = dms_snapshots._published_state(table, dry_run, tables | length == 1) %}
        {% if state and dry_run %}
            {% do print(
                table.declared.label ~ ": would build the state of " ~ state.whole.current.run_date
                ~ " from the full load and all changes in staging, and show it instead of version "
                ~ state.newest ~ " (" ~ dms_snapshots.counted(state.whole.current.rows_after, "row") ~ ")"
            ) %}
        {% elif state %}
            {% do dms_snapshots._replay_table(table, state) %}
        {% endif %}
    {% endfor %}
    {% do dms_snapshots._next_command(
        "replay", {"select": select}, dry_run, "dbt test; dbt run-operation rollback undoes this"
    ) %}
{% endmacro %}
