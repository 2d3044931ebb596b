{% macro rollback_to(select=none, to=none, dry_run=true) %}
    {% do dms_snapshots._operate("rollback_to", select, dry_run, {"to": to | string if to is not none else none}) %}
    {% do dms_snapshots._next_command("rollback_to", {"select": select, "to": to}, dry_run,
        "fix the source and run dbt run for the dates again; or dbt run-operation reapply, which undoes this") %}
{% endmacro %}
