{% materialization dms_snapshot, adapter='spark' %}
    {% set declared = dms_snapshots.declaration(
        config.get("meta").dms.source_name, config.get("meta").dms.table_name
    ) %}
    {% set relation = this.incorporate(type="table") %}
    {% if not declared.active %}
        {{ store_result("main", "not active") }}
        {% do return({"relations": []}) %}
    {% endif %}
    {{ run_hooks(pre_hooks) }}

    {% set plan = dms_snapshots.run_plan(declared) %}
    {% set is_checked = dms_snapshots.is_selected(dms_snapshots.staging_relation(declared).identifier) %}
    {% do dms_snapshots.check_plan(declared, plan, warns=not is_checked) %}
    {#- Not if the date shows another version than the current one. -#}
    {% set is_unchanged = (
        plan.action == "none" and not plan.is_altered and plan.shown_version in [none, plan.current.version]
    ) %}
    {% if not is_unchanged or not plan.is_published or load_relation(this) is none %}
        {% if not is_checked %}{% do dms_snapshots.check_declaration(declared, plan) %}{% endif %}
        {% do dms_snapshots.check_staged(declared, plan) %}
        {% set whole = dms_snapshots.whole_versions(declared, plan) %}
        {% do dms_snapshots.finish_publishing(relation, declared, plan) %}
    {% endif %}
    {% if is_unchanged %}
        {% do dms_snapshots.publish_date(relation, declared, plan) %}
        {% set message = "unchanged since version " ~ plan.current.version ~ ", "
            ~ dms_snapshots.counted(plan.current.rows_after, "row") %}
    {% else %}
        {% set version = dms_snapshots.make_version(relation, declared, plan, whole) %}
        {% do dms_snapshots.commit_version(declared, version) %}
        {#- Even if publishing fails half way, the end of the run looks for a newer version. -#}
        {% do dms_snapshots.index_node().setdefault("made", {}).update({declared.label: version.version}) %}
        {% do dms_snapshots.publish_version(relation, declared, whole, version) %}
        {% set message = dms_snapshots.with_warnings(
            "version " ~ version.version ~ ": +" ~ version.rows_inserted ~ " ~" ~ version.rows_updated
            ~ " -" ~ version.rows_deleted ~ ", " ~ dms_snapshots.counted(version.rows_after, "row")
        ) %}
    {% endif %}
    {{ store_result("main", message) }}

    {% do apply_grants(relation, config.get("grants"), should_revoke=false) %}
    {{ run_hooks(post_hooks) }}
    {% do return({"relations": [relation, dms_snapshots.relation_beside(relation, "current")]}) %}
{% endmaterialization %}


{% macro make_version(relation, declared, plan, whole) %}
    {% if load_relation(relation) is none %}
        {% do dms_snapshots.create_snapshot_table(
            relation, declared, whole.current.root if whole.current else dms_snapshots.new_table_location(relation)
        ) %}
    {% endif %}
    {% if plan.action == "none" %}{% do return(dms_snapshots.altered_version(declared, plan, whole)) %}{% endif %}
    {% set job = dms_snapshots.merge_job(declared, plan) %}
    {% do dms_snapshots.check_full_history(declared, job, whole.base) %}
    {% set version = dms_snapshots.checked_version(relation, declared, plan, job, whole, whole.base) %}
    {% do return(dict(version, feed_location=dms_snapshots.write_feed(relation, declared, job, whole, version))) %}
{% endmacro %}
