{% materialization dms_snapshot, adapter='spark' %}
    {#-
        Publishes the state of a table after a run date: plan, write, audit, record, show.
        Nothing is visible before the last step, and what the last step began, the next run ends.
    -#}
    {% set declared = declaration(config.get("meta").dms.source_name, config.get("meta").dms.table_name) %}
    {% set relation = this.incorporate(type="table") %}
    {% if not declared.active %}
        {{ store_result("main", "not active") }}
        {% do return({"relations": []}) %}
    {% endif %}
    {{ run_hooks(pre_hooks) }}

    {% if load_relation(this) is none %}
        {% do create_snapshot_table(relation, declared, new_table_location(relation)) %}
    {% endif %}
    {% set plan = plan_snapshot(relation, declared) %}
    {% do refuse_other_layout(relation, declared, plan, may_change=should_full_refresh()) %}
    {% set planned_on = plan.newest %}
    {% do finish_publishing(relation, declared, plan) %}
    {% if plan.newest != planned_on %}{% do refuse_second_writer(declared, plan.newest) %}{% endif %}
    {% do refuse_incomplete_staging(declared, plan) %}

    {% do plan.update({"has_other_columns": sync_columns(relation, declared.columns, declared.label, alters=false)}) %}
    {% if plan.action == "carry" %}
        {% set version = carried_version(plan) %}
    {% else %}
        {% set changes_sql = staged_changes_sql(
            declared, "_dms_run_date <= date'" ~ run_date() ~ "'", plan.head, plan.line, run_date() if plan.line
        ) %}
        {% set version = write_version(changes_sql, relation, declared, plan) %}
        {% do audit_version(relation, declared, plan, version) %}
        {% do write_feed(relation, declared, plan, version) %}
    {% endif %}
    {% do record_version(declared, plan, version) %}
    {% if not plan.base %}{% do drop_replaced_staging(declared, run_date()) %}{% endif %}
    {% do publish_version(relation, declared, version, plan) %}

    {% do apply_grants(relation, config.get("grants"), should_revoke=false) %}

    {#- It may be long, and nobody in this command asks for it again. -#}
    {% do staging_node(declared).pop("head", none) %}
    {{ store_result("main", with_warnings(version_summary(version))) }}
    {{ run_hooks(post_hooks) }}
    {% do return({"relations": [relation, current_relation(relation)]}) %}
{% endmaterialization %}
