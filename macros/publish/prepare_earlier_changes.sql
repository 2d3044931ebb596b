{% macro prepare_earlier_changes(declared, job, manifest) %}
    {% if not manifest or not job.needs_earlier %}{% do return(none) %}{% endif %}
    {% if manifest.fingerprint != dms_snapshots.fingerprint(dms_snapshots.declared_facts(declared)) %}
        {% do dms_snapshots.sync_columns(
            dms_snapshots.staging_relation(declared), declared.columns, declared.label
        ) %}
    {% endif %}
    {% do job.update({
        "changes_sql": dms_snapshots.with_absent_columns_sql(job.changes_sql, declared, manifest)
    }) %}
{% endmacro %}
