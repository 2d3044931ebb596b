{% macro _planned(operation, select, dry_run, arguments={}) %}
    {% set plans, errors = [], [] %}
    {% set tables = dms_snapshots._selected_tables(select, with_inactive=operation == "versions") %}
    {% set found = dms_snapshots.operation_plans(operation, tables, arguments) %}
    {% for table in tables %}
        {% set plan = found[table.declared.label] %}
        {% do errors.extend(dms_snapshots._plan_errors(table.declared, plan)) %}
        {% if dry_run and not plan.error and plan.would %}{% do print(plan.would) %}{% endif %}
        {% do plans.append({"table": table, "plan": plan}) %}
    {% endfor %}
    {#- Of all tables first, so that one that cannot follow leaves the others as they were. -#}
    {% if errors %}{% do dms_snapshots.fail_with(errors | unique | list) %}{% endif %}
    {% do return(plans) %}
{% endmacro %}


{% macro operation_plans(operation, tables, arguments) %}
    {% set asked, has_versions = [], dms_snapshots.log_exists("snapshot_versions") %}
    {% for table in tables %}
        {% set declared = table.declared %}
        {% do asked.append({
            "label": declared.label,
            "layout": dms_snapshots.layout(declared),
            "history": declared.history,
            "change_feed": declared.change_feed,
            "rebuild_command": dms_snapshots.run_command(declared.table_name, full_refresh=true),
            "run_command": dms_snapshots.run_command(declared.table_name, run_date="<run_date>"),
            "is_shown": load_relation(table.relation) is not none,
        }) %}
        {% if operation == "vacuum" and has_versions %}
            {% do asked[-1].update(dms_snapshots._to_vacuum(table, arguments.retention)) %}
        {% endif %}
    {% endfor %}
    {% do return(dms_snapshots.ask_versions("operation", {
        "operation": operation,
        "has_log": has_versions,
        "arguments": arguments,
        "tables": asked,
        "files": {
            "root": dms_snapshots.log_location("dms_files") if has_versions else "",
            "partitions": dms_snapshots.log_partitions(
                dms_snapshots.named_relation("dms_files")
            ) if operation == "reapply" else [],
        },
        "run": dms_snapshots.run_name(),
        "started_at": run_started_at.strftime("%Y-%m-%d %H:%M:%S.%f"),
    })) %}
{% endmacro %}


{% macro _plan_errors(declared, plan) %}
    {% if plan.error %}{% do return([plan.error]) %}{% endif %}
    {% set errors = [] %}
    {% for manifest in plan.builds_on or [] %}
        {% do errors.append(dms_snapshots.check_declared_since(declared, manifest, "build_on", raises=false)) %}
    {% endfor %}
    {% if plan.changed_files and not errors | select | list %}
        {% do dms_snapshots.fail_for_files(declared, plan.target, plan.changed_files, "Nothing was changed.") %}
    {% endif %}
    {% do return(errors | select | list) %}
{% endmacro %}


{% macro _carry_out(one) %}
    {% set plan, relation, declared = one.plan, one.table.relation, one.table.declared %}
    {% if plan.finishes %}
        {% set number = plan.state.newest.version %}
        {% do dms_snapshots.publish_and_record(relation, declared, number, dms_snapshots.version_state(
            declared, {"number": number, "publishes": true, "since_last": true}
        )) %}
    {% elif plan.commit %}
        {% do dms_snapshots.commit_and_publish(relation, declared, plan, plan.commit) %}
    {% endif %}
    {% if plan.did %}{% do print(plan.did) %}{% endif %}
{% endmacro %}


{% macro _operate(operation, select, dry_run, arguments={}) %}
    {% for one in dms_snapshots._planned(operation, select, dry_run, arguments) if not dry_run %}
        {% do dms_snapshots._carry_out(one) %}
    {% endfor %}
    {% if not dry_run %}{% do dms_snapshots.derive_tables() %}{% endif %}
{% endmacro %}
