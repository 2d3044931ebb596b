{% macro _vacuum_table(table, operation, plan, written_before, dry_run) %}
    {% set declared = table.declared %}
    {% set job = {"areas": plan.areas, "written_before": written_before} %}
    {% set found = dms_snapshots._vacuumed_folders(dict(job, delete=false)) %}
    {% if found and not dry_run %}
        {#-
            First the version: a command that began from the one before it, and may want what goes, then fails. That
            it is published takes away a date that a dead command has shown and not recorded: its files may go.
        -#}
        {% do dms_snapshots.commit_and_publish(table.relation, declared, operation, operation.commit) %}
        {% if dms_snapshots.newest_numbers([declared])[declared.label] != operation.commit.version %}
            {% do dms_snapshots.fail(
                "E401",
                declared.label,
                "another command has published a version while this one looked for files",
                "Nothing was deleted.",
                "Give the command again."
            ) %}
        {% endif %}
        {% set found = dms_snapshots._vacuumed_folders(dict(job, delete=true)) %}
    {% endif %}
    {% do dms_snapshots._report_vacuumed(declared.label, found, dry_run, "; kept: " ~ plan.kept) %}
    {% do return(found) %}
{% endmacro %}


{% macro _vacuum_plans(tables, retention) %}
    {% set asked, logs = [], {} %}
    {% for name in ["snapshot_versions", "dms_staged_files", "dms_rejects"] %}
        {% do logs.update({name: dms_snapshots.log_location(name)}) %}
    {% endfor %}
    {% for table in tables %}
        {% do asked.append({
            "label": table.declared.label,
            "change_feed": table.declared.change_feed,
            "days": retention if retention is not none else table.declared.retention,
            "staged": dms_snapshots.staging_root(table.declared),
            "histories": dms_snapshots._histories_of(table),
        }) %}
    {% endfor %}
    {% set plans = dms_snapshots.ask_versions("vacuum", {
        "tables": asked, "logs": logs, "started_at": run_started_at.timestamp()
    }) if asked else {} %}
    {% set errors = plans.values() | selectattr("error", "defined") | map(attribute="error") | list %}
    {% if errors %}{% do dms_snapshots.fail_with(errors) %}{% endif %}
    {% do return(plans) %}
{% endmacro %}


{% macro _histories_of(table) %}
    {% set found = [] %}
    {% for node in graph.nodes.values()
        if node.resource_type == "snapshot" and table.node.unique_id in node.depends_on.nodes
        and dms_snapshots.is_history(node) %}
        {% set relation = api.Relation.create(schema=node.schema, identifier=node.alias, type="table") %}
        {% if load_relation(relation) is not none %}
            {% set dates = dms_snapshots.history_dates(relation) %}
            {% do found.append({
                "root": dms_snapshots.table_location(relation),
                "dates": dates,
                "folders": dms_snapshots.history_folders(relation, dates),
            }) %}
        {% endif %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}
