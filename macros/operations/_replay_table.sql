{% macro _replay_table(table, state, job) %}
    {% set declared, relation, whole = table.declared, table.relation, state.whole %}
    {% set current = whole.current %}
    {% do dms_snapshots.prepare_earlier_changes(declared, job, current) %}
    {% set state_after = dms_snapshots.write_state(relation, declared, job) %}
    {% do dms_snapshots.check_changes(declared, job, state_after) %}
    {% set plan = dms_snapshots._operation_plan(state, current.run_date, current) %}
    {#- After a vacuum or a rollback the current version is a copy of the one that dates show. -#}
    {% set dates, origin = {}, dms_snapshots.origin_version(state.entries, current.version) %}
    {% for date, version in whole.dates.items() %}
        {% set is_built_again = dms_snapshots.origin_version(state.entries, version) == origin %}
        {% do dates.update({date: state.version if is_built_again else version}) %}
    {% endfor %}
    {% set version = dms_snapshots.new_version(declared, plan, job, dict(whole, base=none), state_after) %}
    {#- Under the declaration by which the files were staged; what was declared since has no values yet. -#}
    {% set version = dict(
        version,
        action="replay", rows_before=0, rows_deleted=0, rows_inserted=version.rows_after,
        base_version=current.base_version, fingerprint=current.fingerprint, declarations=current.declarations,
        staged=current.staged, files=current.files, load_files=current.load_files, dates=dms_snapshots.date_list(dates)
    ) %}
    {% do dms_snapshots.check_version(relation, declared, dict(plan, current=none), job, version) %}
    {% do dms_snapshots.commit_and_publish(
        relation, declared, state,
        dict(version, feed_location=dms_snapshots.write_feed(relation, declared, job, whole, version))
    ) %}
    {% do print(
        declared.label ~ ": built the state of " ~ current.run_date ~ " again as version " ~ version.version
        ~ ": " ~ dms_snapshots.counted(version.rows_after, "row") ~ ", before " ~ current.rows_after
    ) %}
{% endmacro %}


{% macro _replay_job(declared, state) %}
    {% set current = state.whole.current %}
    {% set job = dms_snapshots._staged_job(declared, current, {
        "action": "build", "run_date": current.run_date,
        "generations": dms_snapshots.live_generations(current), "base": none,
        "taken": "_dms_run_date <= date'" ~ current.run_date ~ "'", "folder": dms_snapshots.run_name() ~ "-replay",
    }) %}
    {% if not dms_snapshots.has_no_files(current) %}
        {% do dms_snapshots.check_declared_since(declared, current, "build_on") %}
    {% endif %}
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


{% macro _operation_plan(state, run_date, built_on) %}
    {% do return({
        "version": state.version, "run_date": run_date, "run": dms_snapshots.run_name(), "files": [],
        "action": none, "generation": built_on.generation, "shards": built_on.shards,
        "last_file_seq": built_on.last_file_seq,
        "indexed_from": built_on.indexed_from, "indexed_through": built_on.indexed_through,
        "full_refresh": false, "current": state.whole.current,
    }) %}
{% endmacro %}
