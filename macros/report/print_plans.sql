{% macro print_plans(select="*") %}
    {% set tables, found = [], [] %}
    {% for node, is_named in dms_snapshots._selected_nodes(select) %}
        {% set table = node.config.meta.dms %}
        {% set declared = dms_snapshots.read_declaration(
            dms_snapshots.find_source(table.source_name, table.table_name)
        ) %}
        {% if declared.problems %}
            {% do found.append({"table": declared.label, "action": "refused", "errors": [
                dms_snapshots.declaration_error(declared)
            ]}) %}
        {% elif declared.active %}
            {% do tables.append(dms_snapshots.declaration(table.source_name, table.table_name)) %}
        {% elif is_named %}
            {% do found.append({"table": declared.label, "action": "not active"}) %}
        {% endif %}
    {% endfor %}
    {% if tables %}
        {% do run_query(dms_snapshots.index_view_sql(dms_snapshots.landing_tables(tables), writes=false)) %}
        {% set rows = dms_snapshots.query_rows("select * from dms_index") %}
        {% set plans = dms_snapshots.plans_of_rows(tables, rows) %}
        {% for declared in tables %}
            {% do found.append(dms_snapshots._printed_plan(declared, plans[declared.label])) %}
        {% endfor %}
    {% endif %}
    {% do print(tojson(found | sort(attribute="table"))) %}
{% endmacro %}


{% macro _printed_plan(declared, plan) %}
    {% set problems = [] if plan.error else dms_snapshots.declaration_problems(declared, plan) %}
    {% set alters = plan.action == "none" and plan.is_altered %}
    {% set base = plan.base or (plan.current if plan.action == "none" else none) %}
    {% do return({
        "table": declared.label,
        "action": "refused" if plan.error or problems else ("alter" if alters else plan.action),
        "run_date": plan.run_date,
        "version": plan.version if plan.action != "none" or alters else none,
        "base_version": base.version if base else none,
        "is_declared_otherwise": plan.is_altered,
        "generation": plan.generation,
        "files": plan.files | length,
        "load_files": plan.load_file_count,
        "bytes": plan.files | sum(attribute="size"),
        "rows": plan.row_count,
        "first_file": plan.files[0].path if plan.files else none,
        "last_file": plan.files[-1].path if plan.files else none,
        "warnings": plan.warnings,
        "errors": [plan.error] if plan.error else problems,
    }) %}
{% endmacro %}
