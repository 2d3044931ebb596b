{% macro check_runs(declared, plan) %}
    {% for run in plan.runs %}
        {% do dms_snapshots.check_declared_since(declared, run.manifest, "build_on") %}
        {% do dms_snapshots.check_declared_since(declared, run.manifest, "full_history", run.fingerprints) %}
    {% endfor %}
    {% if not plan.base %}{% do return(none) %}{% endif %}
    {% if plan.base.manifest.has_no_files
        and not dms_snapshots.query_rows(
            "select 1 as found from parquet." ~ dms_snapshots.sql_name(plan.base.open) ~ " limit 1"
        ) %}
        {% do return(none) %}
    {% endif %}
    {% do dms_snapshots.check_declared_since(declared, plan.base.manifest, "history") %}
{% endmacro %}
