{% materialization snapshot, adapter='spark' %}
    {% if not dms_snapshots.is_history(model) and config.get("file_format") in ["delta", "iceberg", "hudi"] %}
        {% do return(dbt.materialization_snapshot_spark()) %}
    {% endif %}
    {% set history = dms_snapshots.history_settings() %}
    {% set declared = history.declared %}
    {% set relation = this.incorporate(type="table") %}
    {% if not declared.active %}
        {{ store_result("main", "not active") }}
        {% do return({"relations": []}) %}
    {% endif %}
    {{ run_hooks(pre_hooks) }}

    {% if load_relation(this) is none %}
        {% set columns = history.declared.columns + history.columns + [dms_snapshots.closed_on_column()] %}
        {% do dms_snapshots.create_table(relation, columns, [
            dms_snapshots.closed_on_column()
        ], dms_snapshots.new_table_location(relation), comment_clause()) %}
    {% endif %}
    {% set plan = dms_snapshots.plan_history(relation, declared) %}
    {% if not plan.is_due %}
        {{ store_result("main", "unchanged") }}
    {% else %}
        {% do dms_snapshots.check_runs(declared, plan) %}
        {% do dms_snapshots.sync_columns(relation, declared.columns + history.columns, declared.label) %}
        {% set written = dms_snapshots.write_history(
            relation, history, plan
        ) if plan.runs else {"open": plan.base.open} %}
        {% do dms_snapshots.check_second_history(relation, declared, plan) %}
        {% do dms_snapshots.publish_history(relation, plan, written) %}
        {{ store_result(
            "main",
            dms_snapshots.counted(written.changed_keys, "key") ~ " changed, "
            ~ dms_snapshots.counted(written.closed_rows, "row") ~ " closed" if "rows" in written
            else "went back"
        ) }}
    {% endif %}

    {% do apply_grants(relation, config.get("grants"), should_revoke=false) %}
    {{ run_hooks(post_hooks) }}
    {% do return({"relations": [relation]}) %}
{% endmaterialization %}
