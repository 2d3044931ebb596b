{% macro merge_job(declared, plan) %}
    {% set is_late = plan.action == "merge" and (declared.order_by != "file" or plan.is_late) %}
    {% set job = {
        "action": plan.action,
        "run_date": plan.run_date,
        "generations": plan.generations,
        "replaced_shards": plan.replaced_shards or [],
        "replaced_rows": none,
        "has_load": plan.load_file_count > 0,
        "has_load_only": plan.load_file_count == plan.files | length,
        "base": plan.base,
        "is_late": is_late,
        "taken": none,
        "rebuilds": false,
        "load_rows": 0,
        "loads_repeat": false,
        "keeps_replaced": declared.change_feed and plan.action == "merge" and declared.primary_keys | length > 0,
        "root": plan.current.root if plan.current else dms_snapshots.new_table_location(this),
        "folder": dms_snapshots.run_name(),
        "staged": dms_snapshots.staged_folder(declared, plan) if plan.files else none,
        "staged_bytes": plan.files | sum(attribute="size"),
        "change_bytes": plan.files | rejectattr("kind", "equalto", "load") | sum(attribute="size"),
        "files_sql": dms_snapshots.staged_files_sql(declared, plan),
    } %}
    {% set replaces = not declared.primary_keys and (plan.replaced_shards or is_late and dms_snapshots.query_rows(
        "select 1 as found from (" ~ dms_snapshots.replaced_uploads_sql(
            job.files_sql, dms_snapshots.of_generations_sql("generation", job.generations)
        ) ~ ")"
        ~ " where replaced_on = date'" ~ plan.run_date ~ "' limit 1"
    )) %}
    {% if replaces %}
        {#-
            Which rows an older upload of a file has brought, the rows do not say: all are gathered again from
            staging. So are they where one of several folders has a new full load.
        -#}
        {% do job.update({
            "action": "build", "rebuilds": true, "loads_repeat": true, "keeps_replaced": false, "has_load": true,
        }) %}
    {% endif %}
    {% if job.action == "merge" and job.replaced_shards %}
        {% do job.update({"replaced_rows": dms_snapshots.sql_name(this.identifier ~ "__base")}) %}
        {% do dms_snapshots.create_rows_view(this.identifier ~ "__base", declared, job.root, job.base.partitions) %}
    {% endif %}
    {% set needs_earlier = job.rebuilds or is_late or (
        job.action == "merge" and dms_snapshots.merges_with_full_history(declared)
    ) %}
    {% do job.update({
        "needs_earlier": needs_earlier,
        "changes_sql": dms_snapshots.staged_changes_sql(declared, plan if needs_earlier else dict(plan, base=none)),
    }) %}
    {#- In a merge these are folders that begin, or begin again. -#}
    {% set begun = job.generations if job.action == "build" else (
        job.generations | reject("in", plan.base.generations) | list
    ) %}
    {% if begun and job.has_load %}
        {% set parts = dms_snapshots.query_rows(
            "select first_key, last_key, row_count from (" ~ job.files_sql ~ ") where kind = 'load' and "
            ~ dms_snapshots.of_generations_sql("generation", begun) ~ " and row_count > 0"
        ) %}
        {#- It warns of keys that repeat, in a merge too. -#}
        {% set loads_repeat = dms_snapshots.loads_repeat(declared, dict(job, generations=begun), parts) %}
        {% if job.action == "build" %}
            {% do job.update({
                "load_rows": parts | sum(attribute="row_count"), "loads_repeat": loads_repeat or job.rebuilds,
            }) %}
        {% endif %}
    {% endif %}
    {% do return(job) %}
{% endmacro %}
