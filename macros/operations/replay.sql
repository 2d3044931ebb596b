{% macro replay(select=none, dry_run=true) %}
    {% set plans = dms_snapshots._planned("replay", select, dry_run) %}
    {% for one in plans if one.plan.manifest %}
        {% do one.update({"job": dms_snapshots._replay_job(one.table.declared, one.plan.state.current)}) %}
    {% endfor %}
    {% for one in plans if not dry_run %}
        {% if one.job %}{% do dms_snapshots._replay_table(one.table, one.plan, one.job) %}
        {% else %}{% do dms_snapshots._carry_out(one) %}{% endif %}
    {% endfor %}
    {% if not dry_run %}{% do dms_snapshots.derive_tables() %}{% endif %}
    {% do dms_snapshots._next_command(
        "replay", {"select": select}, dry_run, "dbt test; dbt run-operation rollback undoes this"
    ) %}
{% endmacro %}
