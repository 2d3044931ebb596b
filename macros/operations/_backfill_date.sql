{% macro _backfill_date(table, state, date) %}
    {#-
        The state at the end of a date: that of the newest date before it, or nothing, and the staged
        changes of files up to its end that came to be applied later. The current state stays.
    -#}
    {% set declared, relation = table.declared, table.relation %}
    {% set there = read_version(declared, state.newest).dates %}
    {% set before = there.keys() | select("lt", date) | sort | last %}
    {% set base = read_version(declared, there[before]) if before else none %}
    {% set generation = base.generation if base else read_version(declared, there.values() | list | first).generation %}
    {% set in_time = "(_dms_is_load or _dms_file_seq < cast(unix_date(date_add(date'" ~ date ~ "', 1)) as bigint) * 86400000000000)" %}
    {% set taken = "_dms_run_date > date'" ~ before ~ "' and not _dms_is_load" if base else "true" %}
    {% set changes_sql = staged_changes_sql(declared, in_time, state.head, state.applied) %}
    {% set change_count = query_rows(
        "select count(*) as row_count from (" ~ changes_sql ~ ") where _dms_generation = " ~ generation ~ " and " ~ taken
    )[0].row_count %}
    {#- Without a key, rows of another upload cannot be told apart in a base: all are gathered anew. -#}
    {% if change_count and not declared.primary_keys %}
        {% set base, taken = none, "true" %}
    {% endif %}
    {% set plan = dict(
        state,
        action="carry" if base and not change_count else ("merge" if base else "build"),
        base=base, run_date=date, is_late=true, loads_repeat=true, folder=run_version() ~ "-" ~ date, taken=taken,
        rebuilds=not declared.primary_keys,
        staged={"generation": generation, "load_rows": 0, "last_file_seq": base.last_file_seq if base else 0},
    ) %}
    {% if plan.action == "carry" %}
        {% set version = carried_version(plan) %}
    {% else %}
        {% do refuse_incomplete_staging(declared, plan) %}
        {% set version = write_version(changes_sql, relation, declared, plan) %}
        {% do audit_version(relation, declared, dict(plan, head=none), version) %}
    {% endif %}
    {% do version.update({"action": "backfill", "head_version": state.head.version}) %}
    {% do record_version(declared, plan, version) %}
    {% do state.update({"newest": version.version, "version": version.version + 1}) %}
    {% do show_state(relation, declared, state, version.version - 1) %}
    {% if state.newest != version.version %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": another command has published version " ~ state.newest ~ " while this one made the snapshot of " ~ date
            ~ ". No later date was made. Look at what there is (dbt run-operation versions), and give the command again."
        ) %}
    {% endif %}
    {% do print(declared.label ~ ": made the snapshot of " ~ date ~ " as version " ~ version.version ~ ": " ~ version.rows_after ~ " rows") %}
{% endmacro %}
