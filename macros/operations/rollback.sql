{% macro rollback(select=none, dry_run=true) %}
    {% do dms_snapshots._operate("rollback", select, dry_run) %}
    {% do dms_snapshots._next_command("rollback", {"select": select}, dry_run,
        "fix the source and run dbt run for the date again; or dbt run-operation reapply, which undoes this") %}
{% endmacro %}
