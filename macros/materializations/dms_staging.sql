{% materialization dms_staging, adapter='spark' %}
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
    {% do dms_snapshots.check_plan(declared, plan) %}
    {% if load_relation(this) is none %}
        {% set columns = declared.columns + dms_snapshots.staging_columns() %}
        {% do dms_snapshots.create_table(
            relation, columns, ["_dms_run_date"], dms_snapshots.new_table_location(relation), comment_clause()
        ) %}
        {#- Of a table that was dropped the files are there; a merge with the full history reads them. -#}
        {% if plan.current %}
            {% set whole = dms_snapshots.whole_versions(declared, plan) %}
            {% do dms_snapshots.publish_staged(declared, whole.current.staged, []) %}
        {% endif %}
    {% endif %}
    {% do dms_snapshots.check_declaration(declared, plan) %}
    {% if plan.files %}
        {% set staged = dms_snapshots.stage_files(relation, declared, plan) %}
        {{ store_result(
            "main", dms_snapshots.with_warnings("files: " ~ staged.file_count ~ ", rows: " ~ staged.row_count)
        ) }}
    {% else %}
        {{ store_result("main", dms_snapshots.with_warnings("no new files")) }}
    {% endif %}

    {{ run_hooks(post_hooks) }}
    {% do return({"relations": [relation]}) %}
{% endmaterialization %}
