{% macro _vacuum_table(table, plan, written_before, dry_run) %}
    {% set declared = table.declared %}
    {% set job = {"areas": plan.areas, "written_before": written_before} %}
    {% set found = dms_snapshots._vacuumed_folders(dict(job, delete=false)) %}
    {% if found and not dry_run %}
        {#-
            First the version: a command that began from the one before it, and may want what goes, then fails. That
            it is published takes away a date that a dead command has shown and not recorded: its files may go.
        -#}
        {% set newest = dms_snapshots.commit_and_publish(table.relation, declared, plan, plan.commit) %}
        {% if newest != plan.commit.version %}
            {% do dms_snapshots.fail(
                "E401",
                declared.label,
                "another command has published a version while this one looked for files",
                "Nothing was deleted.",
                "Give the command again."
            ) %}
        {% endif %}
        {% if plan.did %}{% do print(plan.did) %}{% endif %}
        {% set found = dms_snapshots._vacuumed_folders(dict(job, delete=true)) %}
    {% endif %}
    {% do dms_snapshots._report_vacuumed(declared.label, found, dry_run, "; kept: " ~ plan.kept) %}
    {% do return(found) %}
{% endmacro %}


{% macro _to_vacuum(table, retention) %}
    {% set declared, roots = table.declared, {"staged": dms_snapshots.staging_root(table.declared)} %}
    {% for kind, name in {"reports": "dms_staged_files", "rejects": "dms_rejects"}.items() %}
        {% do roots.update({kind: dms_snapshots.log_location(name) ~ "/" ~ declared.label}) %}
    {% endfor %}
    {% do return({
        "days": retention if retention is not none else declared.retention,
        "roots": roots,
        "histories": dms_snapshots._histories_of(table),
    }) %}
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
