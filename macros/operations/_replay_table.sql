{% macro _replay_table(table, plan, job) %}
    {% set declared, relation, whole = table.declared, table.relation, dict(
        plan.state, base=none, next=plan.next, feed_base=plan.feed_base
    ) %}
    {% set current = whole.current %}
    {% set run = dms_snapshots._operation_run(whole, current.run_date, current) %}
    {% set version = dms_snapshots.checked_version(relation, declared, run, job, whole, current) %}
    {% set version = dict(version, rows_inserted=version.rows_after, **plan.manifest) %}
    {% set feed = dms_snapshots.write_feed(relation, declared, job, whole, version) %}
    {% do dms_snapshots.commit_and_publish(relation, declared, plan, dict(version, feed_location=feed)) %}
    {% do print(
        declared.label ~ ": built the state of " ~ current.run_date ~ " again as version " ~ version.version
        ~ ": " ~ dms_snapshots.counted(version.rows_after, "row") ~ ", before " ~ current.rows_after
    ) %}
{% endmacro %}


{% macro _replay_job(declared, current) %}
    {% set job = dms_snapshots._staged_job(declared, current, {
        "action": "build", "run_date": current.run_date,
        "generations": current.generations, "base": none,
        "taken": "_dms_run_date <= date'" ~ current.run_date ~ "'", "folder": dms_snapshots.run_name() ~ "-replay",
    }) %}
    {% do dms_snapshots.check_full_history(declared, job, current) %}
    {% do return(job) %}
{% endmacro %}


{% macro _staged_job(declared, current, values) %}
    {% do return(dict(
        {
            "has_load": false, "replaced_shards": [], "replaced_rows": none, "is_late": true,
            "rebuilds": not declared.primary_keys, "load_rows": 0,
            "loads_repeat": true,
            "keeps_replaced": false, "root": current.root, "staged": none, "needs_earlier": true,
            "files_sql": "select * from " ~ ref("dms_snapshots", "dms_staged_files") ~ " where "
            ~ dms_snapshots.table_filter(declared),
            "changes_sql": "select * from " ~ dms_snapshots.staging_relation(declared),
        },
        **values
    )) %}
{% endmacro %}


{% macro _operation_run(state, run_date, built_on) %}
    {% do return({
        "version": state.version, "run_date": run_date, "run": dms_snapshots.run_name(), "files": [],
        "action": none, "generation": built_on.generation, "shards": built_on.shards,
        "last_file_seq": built_on.last_file_seq,
        "indexed_from": built_on.indexed_from, "indexed_through": built_on.indexed_through,
        "full_refresh": false, "current": none,
    }) %}
{% endmacro %}
