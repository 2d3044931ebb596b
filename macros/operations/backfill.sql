{% macro backfill(select=none, from_date=none, to_date=none, dry_run=true) %}
    {% set arguments = {"from_date": from_date | string, "to_date": to_date | string} %}
    {% set plans = dms_snapshots._planned("backfill", select, dry_run, arguments) %}
    {% for one in plans %}{% do dms_snapshots._check_doubtful(one.table.declared, one.plan) %}{% endfor %}
    {% for one in plans if not dry_run %}
        {% for date in one.plan.dates or [] %}{% do dms_snapshots._backfill_date(one.table, date) %}{% endfor %}
        {% if not one.plan.dates %}{% do dms_snapshots._carry_out(one) %}{% endif %}
    {% endfor %}
    {% if not dry_run %}{% do dms_snapshots.derive_tables() %}{% endif %}
    {% do dms_snapshots._next_command("backfill", {
        "select": select, "from_date": from_date, "to_date": to_date
    }, dry_run,
        "dbt test; dbt run-operation rollback takes the last of these dates away again") %}
{% endmacro %}


{% macro _check_doubtful(declared, plan) %}
    {% for making in plan.doubtful or [] %}
        {% do dms_snapshots._check_unstaged_files(declared, plan.state.newest.version, making) %}
    {% endfor %}
{% endmacro %}


{% macro _backfill_date(table, date) %}
    {% set declared, relation = table.declared, table.relation %}
    {% set plan = dms_snapshots.operation_plans("backfill_date", [table], {"date": date})[declared.label] %}
    {% set errors = dms_snapshots._plan_errors(declared, plan) %}
    {% if errors %}{% do dms_snapshots.fail_with(errors) %}{% endif %}
    {% if plan.finishes %}
        {% do dms_snapshots.fail(
            "E401",
            declared.label,
            "another command has published version " ~ plan.state.newest.version
            ~ " while this one made snapshots of dates",
            "The snapshot of " ~ date ~ " and later ones were not made.",
            "Give the command again."
        ) %}
    {% endif %}
    {% if plan.doubtful %}{% do dms_snapshots.derive_tables() %}{% endif %}
    {% do dms_snapshots._check_doubtful(declared, plan) %}
    {% set whole, built_on, before = dict(plan.state, next=plan.next), plan.built_on, plan.before %}
    {% set base = built_on if before else none %}
    {#- Of a full load no name tells when its files came: what the date before had of it. -#}
    {% set is_load = "_dms_is_load" ~ (
        " and _dms_run_date <= date'" ~ plan.loaded_through ~ "'" if base else ""
    ) %}
    {% set in_time = (
        "(" ~ is_load ~ " or not _dms_is_load and _dms_file_seq < cast(unix_date(date_add(date'" ~ date
        ~ "', 1)) as bigint) * 86400000000000)"
    ) %}
    {% set taken = "_dms_run_date > date'" ~ before ~ "' and not _dms_is_load" if base else "true" %}
    {% set changes_sql = "select * from " ~ dms_snapshots.staging_relation(declared) ~ " where " ~ in_time %}
    {% set change_count = dms_snapshots.query_rows(
        "select count(*) as row_count from (" ~ changes_sql ~ ")"
        ~ " where "
        ~ dms_snapshots.of_generations_sql("_dms_generation", built_on.generations)
        ~ " and " ~ taken
    )[0].row_count %}
    {% set run = dms_snapshots._operation_run(whole, date, built_on) %}
    {% if base and not change_count %}
        {% set version = dms_snapshots.altered_version(declared, run, dict(whole, base=base)) %}
    {% else %}
        {#- Without a key, rows of another upload cannot be told apart in a base: all are gathered again. -#}
        {% set merges = base and declared.primary_keys %}
        {% set job = dms_snapshots._staged_job(declared, whole.current, {
            "action": "merge" if merges else "build", "run_date": date,
            "generations": built_on.generations,
            "base": base if merges else none, "taken": taken if merges else "true", "changes_sql": changes_sql,
            "folder": dms_snapshots.run_name() ~ "-" ~ date,
        }) %}
        {% do dms_snapshots.check_full_history(declared, job, whole.current) %}
        {% set version = dms_snapshots.checked_version(
            relation, declared, run, job, dict(whole, base=job.base), whole.current
        ) %}
    {% endif %}
    {% set version = dict(version, **plan.manifest) %}
    {% set newest = dms_snapshots.commit_and_publish(relation, declared, plan, version) %}
    {% if newest != version.version %}
        {% do dms_snapshots.fail(
            "E401",
            declared.label,
            "another command has published version " ~ newest ~ " while this one made the snapshot of " ~ date,
            "No later date was made.",
            "Look at what there is (dbt run-operation versions), and give the command again."
        ) %}
    {% endif %}
    {% do print(
        declared.label ~ ": made the snapshot of " ~ date ~ " as version " ~ version.version ~ ": "
        ~ dms_snapshots.counted(version.rows_after, "row")
    ) %}
{% endmacro %}
