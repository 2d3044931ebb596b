{% materialization dms_staging, adapter='spark' %}
    {#- Stages the files of the plan, into a folder that nothing reads before a version names it. -#}
    {% set declared = declaration(config.get("meta").dms.source_name, config.get("meta").dms.table_name) %}
    {% set relation = this.incorporate(type="table") %}
    {% if not declared.active %}
        {{ store_result("main", "not active") }}
        {% do return({"relations": []}) %}
    {% endif %}
    {{ run_hooks(pre_hooks) }}

    {% set plan = run_plan(declared) %}
    {% do check_plan(declared, plan) %}
    {% if load_relation(this) is none %}
        {% set columns = declared.columns + staging_columns() %}
        {% do create_table(relation, columns, ["_dms_run_date"], new_table_location(relation), comment_clause()) %}
    {% endif %}
    {% do check_declaration(declared, plan) %}
    {% if plan.files %}
        {% set staged = stage_files(relation, declared, plan) %}
        {{ store_result("main", with_warnings("files: " ~ staged.file_count ~ ", rows: " ~ staged.row_count)) }}
    {% else %}
        {{ store_result("main", with_warnings("no new files")) }}
    {% endif %}

    {{ run_hooks(post_hooks) }}
    {% do return({"relations": [relation]}) %}
{% endmaterialization %}
