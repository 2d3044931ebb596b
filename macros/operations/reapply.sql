{% macro reapply(select=none, dry_run=true) %}
    {% do dms_snapshots._operate("reapply", select, dry_run) %}
    {% do dms_snapshots._next_command(
        "reapply", {"select": select}, dry_run, "dbt run, as every day; dbt run-operation rollback undoes this"
    ) %}
{% endmacro %}
