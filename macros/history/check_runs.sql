{% macro check_runs(declared, plan, versions) %}
    {% for run in plan.runs %}
        {% do dms_snapshots.check_declared_since(declared, versions[run.version], "build_on") %}
        {% do dms_snapshots.check_declared_since(
            declared, versions[run.version], "full_history",
            versions[run.version].staged
                | selectattr("run_date", "equalto", run.run_date) | map(attribute="fingerprint") | list
        ) %}
    {% endfor %}
    {% if not plan.base %}{% do return(none) %}{% endif %}
    {% set base = versions[plan.base.version] %}
    {% if dms_snapshots.has_no_files(base)
        and not dms_snapshots.query_rows(
            "select 1 as found from parquet." ~ dms_snapshots.sql_name(plan.base.open) ~ " limit 1"
        ) %}
        {% do return(none) %}
    {% endif %}
    {% do dms_snapshots.check_declared_since(declared, base, "history") %}
{% endmacro %}
