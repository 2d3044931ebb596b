{% materialization dms_staging, adapter='spark' %}
    {#- Stages the files that the newest version before this run date has not applied. -#}
    {% set declared = declaration(config.get("meta").dms.source_name, config.get("meta").dms.table_name) %}
    {% set relation = this.incorporate(type="table") %}
    {% if not declared.active %}
        {{ store_result("main", "not active") }}
        {% do return({"relations": []}) %}
    {% endif %}
    {{ run_hooks(pre_hooks) }}

    {% set newest = table_versions(declared) | last | default(none) %}
    {% set head = head_version(declared, newest) %}
    {% set base = base_version(declared, head) %}
    {% if load_relation(this) is none %}
        {% do create_staging_table(relation, declared) %}
    {% endif %}

    {% set dates = list_partitions(relation) | map(attribute="_dms_run_date") | list %}
    {% set files = pending_files(sql, declared, base, head) %}
    {#- Before anything is staged under other names than the rest. A new full load is a new beginning. -#}
    {% if base and not files | selectattr("generation", "gt", base.generation) | list %}
        {% do refuse_other_declaration(declared, base) %}
        {% do tell_other_columns(declared, base) %}
    {% endif %}
    {#- For the snapshot, which comes later in this command. -#}
    {% do staging_node(declared).update({"staged_file_count": files | length, "staged_on": newest}) %}
    {% if files %}
        {% set staged = stage_files(relation, declared, base, files, is_again=run_date() in dates) %}
        {{ store_result("main", with_warnings("files: " ~ staged.file_count ~ ", rows: " ~ staged.row_count)) }}
    {% else %}
        {#- The first state is read from staging also where no file is. -#}
        {% if not base %}{% do sync_columns(relation, declared.columns, declared.label) %}{% endif %}
        {{ store_result("main", with_warnings("no new files")) }}
    {% endif %}
    {#- What is built from nothing drops the rest only when it is published, for until then it counts. -#}
    {% if base %}
        {% do drop_unpublished_staging(relation, declared, base, dates | reject("equalto", run_date() if files else none) | list, newest) %}
    {% endif %}

    {{ run_hooks(post_hooks) }}
    {% do return({"relations": [relation]}) %}
{% endmaterialization %}
