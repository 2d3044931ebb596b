{% macro print_page_records(versions, runs, rejects) %}
    {% set seen = dms_snapshots.seen(limit=versions) %}
    {% set errors = seen.values() | selectattr("error", "defined") | map(attribute="error") | list %}
    {% if errors %}{% do dms_snapshots.fail_with(errors) %}{% endif %}
    {% do print(tojson({
        "declared": dms_snapshots._declared_tables(),
        "seen": seen,
        "versions": dms_snapshots.query_rows(dms_snapshots.recent_versions_sql(versions, seen)),
        "runs": dms_snapshots.query_rows(dms_snapshots.recent_runs_sql(runs)),
        "rejects": dms_snapshots.query_rows(dms_snapshots.recent_rejects_sql(rejects)),
    })) %}
{% endmacro %}


{% macro _declared_tables() %}
    {% set tables = [] %}
    {% for node in graph.sources.values() if node.config.meta.dms %}
        {% set declared = dms_snapshots.read_declaration(node) %}
        {% set settings = {} %}
        {% for key in dms_snapshots.dms_keys() %}{% do settings.update({key: declared.get(key)}) %}{% endfor %}
        {% do tables.append({
            "unique_id": node.unique_id,
            "settings": settings,
            "layout": none if declared.problems else dms_snapshots.layout(declared),
            "problems": declared.problems,
        }) %}
    {% endfor %}
    {% do return(tables) %}
{% endmacro %}
