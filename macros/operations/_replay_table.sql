{% macro _replay_table(table, state) %}
    {% set declared, relation, head = table.declared, table.relation, state.head %}
    {% set applied = applied_versions(ledger_entries(declared), state.newest) %}
    {% set plan = dict(
        state,
        action="build", base=none, run_date=head.run_date, loads_repeat=true, folder=run_version() ~ "-replay",
        rebuilds=not declared.primary_keys, is_late=true, applied=applied,
        taken="_dms_run_date <= date'" ~ head.run_date ~ "'",
        staged={"generation": head.generation, "load_rows": 0, "last_file_seq": head.last_file_seq},
    ) %}
    {% do refuse_other_declaration(declared, head) %}
    {% do sync_staging(declared) %}
    {% set changes_sql = staged_changes_sql(declared, "_dms_run_date <= date'" ~ head.run_date ~ "'", head, applied) %}
    {% do refuse_incomplete_staging(declared, plan) %}
    {% set version = write_version(changes_sql, relation, declared, plan) %}
    {% do version.update({"action": "replay", "rows_before": 0, "rows_inserted": version.rows_after, "rows_deleted": 0}) %}
    {% do audit_version(relation, declared, dict(plan, head=none), version) %}
    {% do write_feed(relation, declared, plan, version) %}
    {% do commit_version(declared, version.version, _rewritten_sql(declared, state, version)) %}
    {% do state.update({"newest": version.version}) %}
    {% do show_state(relation, declared, state, version.version - 1) %}
    {% do print(
        declared.label ~ ": built the state of " ~ head.run_date ~ " anew as version " ~ version.version ~ ": " ~ version.rows_after
        ~ " rows, before " ~ head.rows_after
    ) %}
{% endmacro %}
