{% macro backfill(select=none, from_date=none, to_date=none, dry_run=true) %}
    {% for value, name in [
        (from_date, "from_date"), (to_date, "to_date")
    ] if not dms_snapshots.is_date(value | string) %}
        {% do dms_snapshots.fail(
            "E412", none, name ~ " is " ~ value ~ "; allowed is a date as YYYY-MM-DD", "Nothing was changed."
        ) %}
    {% endfor %}
    {% if from_date | string > to_date | string %}
        {% do dms_snapshots.fail(
            "E412", none, "from_date " ~ from_date ~ " is after to_date " ~ to_date, "Nothing was changed."
        ) %}
    {% endif %}
    {% set tables = dms_snapshots._selected_tables(select) %}
    {#- Of all tables first, so that one that has no dates leaves the others as they were. -#}
    {% set work = [] %}
    {% for table in tables %}
        {% set state = dms_snapshots._published_state(table, dry_run, tables | length == 1) %}
        {% if state %}
            {% set missing = dms_snapshots._missing_dates(
                table.declared, state, from_date | string, to_date | string
            ) %}
            {% if missing %}
                {% do dms_snapshots._check_built_on(table.declared, state, missing) %}
            {% endif %}
            {% do work.append({"table": table, "state": state, "missing": missing}) %}
        {% endif %}
    {% endfor %}
    {% for one in work %}
        {% if not one.missing %}
            {% do print(one.table.declared.label ~ ": no date is missing") %}
        {% elif dry_run %}
            {% do print(one.table.declared.label ~ ": would make the snapshots of " ~ one.missing | join(", ")) %}
        {% else %}
            {% set now = namespace(state=one.state) %}
            {% for date in one.missing %}{% set now.state = dms_snapshots._backfill_date(
                one.table, now.state, date
            ) %}{% endfor %}
        {% endif %}
    {% endfor %}
    {% do dms_snapshots._next_command("backfill", {
        "select": select, "from_date": from_date, "to_date": to_date
    }, dry_run,
        "dbt test; dbt run-operation rollback takes the last of these dates away again") %}
{% endmacro %}


{% macro _backfill_date(table, state, date) %}
    {% set declared, relation, whole = table.declared, table.relation, state.whole %}
    {% set before = whole.dates.keys() | select("lt", date) | sort | last %}
    {% set number = dms_snapshots._built_on(whole, date) %}
    {% set built_on = dms_snapshots.whole_manifest(declared, number) %}
    {% set base = built_on if before else none %}
    {#-
        Of a full load no name tells when its files came: what the date before had of it. A full refresh has staged all
        of it again, in the first folder.
    -#}
    {% set loaded = [before, whole.current.staged[0].run_date] | max if base and whole.current.staged else before %}
    {% set is_load = "_dms_is_load" ~ (" and _dms_run_date <= date'" ~ loaded ~ "'" if base else "") %}
    {% set in_time = (
        "(" ~ is_load ~ " or not _dms_is_load and _dms_file_seq < cast(unix_date(date_add(date'" ~ date
        ~ "', 1)) as bigint) * 86400000000000)"
    ) %}
    {% set taken = "_dms_run_date > date'" ~ before ~ "' and not _dms_is_load" if base else "true" %}
    {% set changes_sql = "select * from " ~ dms_snapshots.staging_relation(declared) ~ " where " ~ in_time %}
    {% set change_count = dms_snapshots.query_rows(
        "select count(*) as row_count from (" ~ changes_sql ~ ")"
        ~ " where "
        ~ dms_snapshots.of_generations_sql("_dms_generation", dms_snapshots.live_generations(built_on))
        ~ " and " ~ taken
    )[0].row_count %}
    {% set plan = dms_snapshots._operation_plan(state, date, built_on) %}
    {% if base and not change_count %}
        {% set version = dms_snapshots.altered_version(declared, plan, dict(whole, base=base)) %}
    {% else %}
        {#- Without a key, rows of another upload cannot be told apart in a base: all are gathered again. -#}
        {% set merges = base and declared.primary_keys %}
        {% set job = dms_snapshots._staged_job(declared, whole.current, {
            "action": "merge" if merges else "build", "run_date": date,
            "generations": dms_snapshots.live_generations(built_on),
            "base": base if merges else none, "taken": taken if merges else "true", "changes_sql": changes_sql,
            "folder": dms_snapshots.run_name() ~ "-" ~ date,
        }) %}
        {% do dms_snapshots.check_full_history(declared, job, whole.current) %}
        {% do dms_snapshots.prepare_earlier_changes(declared, job, whole.current) %}
        {% set state_after = dms_snapshots.write_state(relation, declared, job) %}
        {% do dms_snapshots.check_changes(declared, job, state_after) %}
        {% set version = dms_snapshots.new_version(declared, plan, job, dict(whole, base=job.base), state_after) %}
        {% do dms_snapshots.check_version(relation, declared, dict(plan, current=none), job, version) %}
    {% endif %}
    {% set version = dict(
        version, action="backfill", current_version=whole.current.version, feed_dates=whole.newest.feed_dates,
        fingerprint=built_on.fingerprint, declarations=built_on.declarations, staged=built_on.staged
    ) %}
    {% set after = dms_snapshots.commit_and_publish(relation, declared, state, version) %}
    {% if dms_snapshots.newest_numbers([declared])[declared.label] != version.version %}
        {% do dms_snapshots.fail(
            "E401",
            declared.label,
            "another command has published version " ~ dms_snapshots.newest_numbers([declared])[declared.label]
            ~ " while this one made the snapshot of " ~ date,
            "No later date was made.",
            "Look at what there is (dbt run-operation versions), and give the command again."
        ) %}
    {% endif %}
    {% do print(
        declared.label ~ ": made the snapshot of " ~ date ~ " as version " ~ version.version ~ ": "
        ~ dms_snapshots.counted(version.rows_after, "row")
    ) %}
    {% do return(after) %}
{% endmacro %}


{% macro _built_on(whole, date) %}
    {% set dates = whole.dates.keys() | sort %}
    {% do return(whole.dates[dates | select("lt", date) | list | last or dates[0]]) %}
{% endmacro %}


{% macro _check_built_on(declared, state, dates) %}
    {% set whole, wanted = state.whole, [] %}
    {% do dms_snapshots.check_declared_since(declared, whole.current, "build_on") %}
    {% for date in dates %}{% do wanted.append(dms_snapshots._built_on(whole, date)) %}{% endfor %}
    {% set manifests = dms_snapshots.whole_manifests(declared, wanted | unique) %}
    {% for manifest in manifests.values() if manifest.version != whole.current.version %}
        {% do dms_snapshots.check_declared_since(declared, manifest, "build_on") %}
    {% endfor %}
    {% for date in dates %}
        {% do dms_snapshots._check_unstaged_files(
            declared, state, manifests[dms_snapshots._built_on(whole, date)], date
        ) %}
    {% endfor %}
{% endmacro %}


{% macro _missing_dates(declared, state, from_date, to_date) %}
    {% if not declared.history %}
        {% do dms_snapshots.fail(
            "E418",
            declared.label,
            "history is false, so there are no snapshots of dates",
            "Nothing was changed.",
            "Leave it out of select."
        ) %}
    {% endif %}
    {% set last_date = state.whole.dates.keys() | max %}
    {% if to_date > last_date %}
        {% do dms_snapshots.fail(
            "E412",
            declared.label,
            "to_date " ~ to_date ~ " is after the newest published date, " ~ last_date,
            "Nothing was changed.",
            "Later dates are made by dbt run."
        ) %}
    {% endif %}
    {% set there = state.whole.dates %}
    {% set first = modules.datetime.datetime.strptime(from_date, "%Y-%m-%d") %}
    {% set last = modules.datetime.datetime.strptime(to_date, "%Y-%m-%d") %}
    {% set missing = [] %}
    {% for day in range((last - first).days + 1) %}
        {% set date = (first + modules.datetime.timedelta(days=day)).strftime("%Y-%m-%d") %}
        {% if date not in there %}{% do missing.append(date) %}{% endif %}
    {% endfor %}
    {% do return(missing) %}
{% endmacro %}
