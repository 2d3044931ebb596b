{% macro run_plan(declared) %}
    {% set plans = dms_snapshots.index_node().setdefault("plans", {}) %}
    {% if declared.label not in plans %}
        {% do plans.update({declared.label: dms_snapshots._recorded_plan(declared)}) %}
    {% endif %}
    {% do return(plans[declared.label]) %}
{% endmacro %}


{% macro _recorded_plan(declared) %}
    {% set newest, paths = dms_snapshots.known_versions(declared).newest, [] %}
    {#- As the index knows the table: without columns that a failed run has appended. -#}
    {% set now = dms_snapshots.complete_plan(
        dms_snapshots.read_declaration(dms_snapshots.find_source(declared.source_name, declared.table_name)), {}
    ) %}
    {% for folder in dms_snapshots.folder_texts(declared.path) %}
        {% do paths.append(dms_snapshots.absolute_path(folder)) %}
    {% endfor %}
    {% do paths.append(dms_snapshots.absolute_path(declared.transaction_path) if declared.transaction_path else none) %}
    {% set is_rebuilt = dms_snapshots.is_full_refresh(declared.table_name) %}
    {% set said = dms_snapshots.ask_versions("plan", {
        "label": declared.label,
        "has_log": dms_snapshots.log_exists("snapshot_versions"),
        "run_date": dms_snapshots.run_date(),
        "full_refresh": is_rebuilt,
        "paths": paths,
        "files": {
            "root": dms_snapshots.log_location("dms_files") if dms_snapshots.log_exists("dms_files") else "",
            "partitions": dms_snapshots.log_partitions(dms_snapshots.named_relation("dms_files")),
        },
        "newest": newest.version if newest else none,
        "newest_run": newest.run if newest else none,
        "current": now.current.version if now.current else none,
        "is_altered": now.is_altered,
        "index_command": dms_snapshots.run_command(declared.table_name, is_rebuilt),
    })[declared.label] %}
    {% if said.error %}{% do dms_snapshots.fail_with([said.error]) %}{% endif %}
    {% do return(dict(said.plan, **now)) %}
{% endmacro %}


{% macro complete_plan(declared, plan) %}
    {% set versions = dms_snapshots.known_versions(declared) %}
    {% do return(dict(
        plan, version=versions.next, current=versions.current, base=versions.base,
        is_altered=dms_snapshots.is_redeclared(declared, versions.current)
    )) %}
{% endmacro %}
