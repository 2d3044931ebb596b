{% macro repair(select=none, dry_run=true) %}
    {% set plans = dms_snapshots._planned("repair", select, dry_run) %}
    {% for one in plans if one.plan.repair %}
        {% set found = dms_snapshots._repaired(one.plan.repair) | sort(attribute="location") %}
        {% do one.update({
            "found": found,
            "jobs": dms_snapshots._repair_jobs(one.table.declared, found),
            "dates": dms_snapshots._dates_to_repair(one.table, one.plan, found),
        }) %}
    {% endfor %}
    {% for one in plans %}
        {% if one.plan.repair %}
            {% if not dry_run %}
                {% do dms_snapshots._repair_table(one.table, one.found, one.jobs, one.dates) %}
            {% endif %}
            {% do dms_snapshots._report_repairs(one.table.declared, one.found, dry_run) %}
        {% elif not dry_run %}
            {% do dms_snapshots._carry_out(one) %}
        {% endif %}
    {% endfor %}
    {% if not dry_run %}{% do dms_snapshots.derive_tables(again=select == "*") %}{% endif %}
    {% do dms_snapshots._next_command("repair", {"select": select}, dry_run, "dbt run, as every day") %}
{% endmacro %}


{% macro _repaired(job) %}
    {% do run_query(
        "create or replace temporary view dms_repaired (location string, partition string, action string,"
        ~ " version int, is_shown boolean, files array<string>, rows bigint, more array<string>,"
        ~ " missing array<string>, versions array<int>) using dms_repair options (job "
        ~ dms_snapshots.sql_string(tojson(job)) ~ ")"
    ) %}
    {% do return(dms_snapshots.query_rows("select * from dms_repaired")) %}
{% endmacro %}


{% macro _repair_jobs(declared, found) %}
    {% set jobs, building = {}, found | selectattr("action", "equalto", "build") | list %}
    {% set wanted = {"versions": building | map(attribute="version") | unique | list} %}
    {% for number, manifest in (
        dms_snapshots.versions_of(declared, wanted).manifests if building else {}
    ).items() %}
        {% set folders = [] %}
        {% for staged in manifest.staged %}{% do folders.extend([staged.folder, staged.report]) %}{% endfor %}
        {% set missing = dms_snapshots.missing_folders(folders) if folders else [] %}
        {% set of_version = found | selectattr("version", "equalto", number) | list %}
        {% if missing and of_version | selectattr("is_shown") | list %}
            {% do dms_snapshots._fail_to_build(declared, number, "no files in " ~ missing[0]) %}
        {% elif missing %}
            {% for one in of_version %}{% do one.update({"action": "leave"}) %}{% endfor %}
            {% continue %}
        {% endif %}
        {% set job = dms_snapshots._staged_job(declared, manifest, {
            "action": "build", "run_date": manifest.run_date, "base": none, "taken": "true",
            "generations": manifest.generations,
            "folder": dms_snapshots.run_name() ~ "-repair-" ~ number,
            "files_sql": dms_snapshots._staged_of_version_sql(declared, manifest, "report", [
                {"name": "path"}, {"name": "kind"}, {"name": "generation"}, {"name": "file_seq"},
            ], "run_date"),
            "changes_sql": dms_snapshots._staged_of_version_sql(
                declared, manifest, "folder", declared.columns + dms_snapshots.staging_columns()[:-1], "_dms_run_date"
            ),
        }) %}
        {% if not manifest.has_no_files %}
            {% do dms_snapshots.check_declared_since(declared, manifest, "build_on") %}
        {% endif %}
        {% do dms_snapshots.check_full_history(declared, job, manifest) %}
        {% do jobs.update({number: {"manifest": manifest, "job": job}}) %}
    {% endfor %}
    {% do return(jobs) %}
{% endmacro %}


{% macro _staged_of_version_sql(declared, manifest, kind, columns, date_column) %}
    {% if not manifest.staged %}
        {% do return(dms_snapshots.no_rows_sql(columns + [{"name": date_column, "data_type": "date"}])) %}
    {% endif %}
    {% set selects, root = [], manifest.staged[0][kind].rsplit("/", 1)[0] %}
    {% for fingerprint, staged in manifest.staged | groupby("fingerprint") %}
        {% set facts, names, dates, values = manifest.declarations.get(fingerprint), [], [], [] %}
        {% for one in staged %}
            {% do names.append(one[kind].rsplit("/", 1)[1]) %}
            {% do dates.append(dms_snapshots.sql_string(names | last) ~ ", date'" ~ one.run_date ~ "'") %}
        {% endfor %}
        {% set had = (fromjson(facts).columns if facts else []) | map(attribute=0) | map("lower") | list %}
        {% for column in columns %}
            {% set is_later = had and column in declared.columns and column.name | lower not in had %}
            {% set value = "cast(null as " ~ column.data_type ~ ") as " if is_later else "" %}
            {% do values.append(value ~ dms_snapshots.sql_name(column.name)) %}
        {% endfor %}
        {% set path = root ~ ("/{" ~ names | join(",") ~ "}" if names | length > 1 else "/" ~ names[0]) %}
        {% do selects.append(
            "select " ~ values | join(", ") ~ ", element_at(map(" ~ dates | join(", ")
            ~ "), element_at(split(_metadata.file_path, '/'), -2)) as " ~ date_column
            ~ " from parquet." ~ dms_snapshots.sql_name(path)
        ) %}
    {% endfor %}
    {% do return(selects | join(" union all ")) %}
{% endmacro %}


{% macro _dates_to_repair(table, plan, found) %}
    {% set dates = [] %}
    {% for folder in found if folder.action == "backfill" %}
        {% for date, version in plan.state.dates.items() if version in folder.versions %}
            {% do dates.append(date) %}
        {% endfor %}
    {% endfor %}
    {#- A date is built on the one before it. -#}
    {% set dates = dates | unique | sort %}
    {% if dates %}
        {% set making = dms_snapshots.operation_plans("backfill", [table], {"dates": dates})[table.declared.label] %}
        {% set errors = dms_snapshots._plan_errors(table.declared, making) %}
        {% if errors %}{% do dms_snapshots.fail_with(errors) %}{% endif %}
        {% do dms_snapshots._check_doubtful(table.declared, making) %}
    {% endif %}
    {% do return(dates) %}
{% endmacro %}


{% macro _repair_table(table, found, jobs, dates) %}
    {% set declared, relation, folders = table.declared, table.relation, [] %}
    {% for number, one in jobs.items() %}
        {% do dms_snapshots.prepare_earlier_changes(declared, one.job, one.manifest) %}
        {% set built = {} %}
        {% for partition in dms_snapshots.write_state(relation, declared, one.job).partitions %}
            {% do built.update({partition.partition: partition}) %}
        {% endfor %}
        {% for folder in found if folder.action == "build" and folder.version == number %}
            {% set rows = built[folder.partition].rows if folder.partition in built else 0 %}
            {% if rows != folder.rows %}
                {% do dms_snapshots._fail_to_build(
                    declared, number, rows ~ " of " ~ folder.rows ~ " rows for " ~ folder.location
                ) %}
            {% endif %}
            {#- A state without rows has no partition: nothing lies in the folder of the job. -#}
            {% set nothing = one.job.root ~ "/" ~ one.job.folder ~ "/none" %}
            {% set location = built[folder.partition].location if folder.partition in built else nothing %}
            {% do folders.append(dict(folder, built=location)) %}
        {% endfor %}
    {% endfor %}
    {% for folder in found if folder.action == "delete" %}
        {% do folders.append(dict(folder, built=none)) %}
    {% endfor %}
    {% if folders %}
        {% do dms_snapshots._repaired({
            "table": declared.label, "columns": dms_snapshots.reader_settings(declared).columns, "folders": folders,
        }) %}
    {% endif %}
    {% for date in dates %}{% do dms_snapshots._backfill_date(table, date) %}{% endfor %}
    {% set state = dms_snapshots.version_state(declared, {"publishes": true}) %}
    {% do dms_snapshots.publish_state(relation, declared, state) %}
    {% do dms_snapshots.publish_newer({declared.label: state.newest.version}) %}
    {% for one in [relation, dms_snapshots.relation_beside(relation, "current")] %}
        {% do run_query("refresh table " ~ one) %}
    {% endfor %}
{% endmacro %}


{% macro _fail_to_build(declared, version, what) %}
    {% do dms_snapshots.fail(
        "E424",
        declared.label,
        "version " ~ version ~ " cannot be built again from its staged changes: " ~ what,
        "Nothing was changed.",
        "Bring its files back from a copy of the lake. Or only the newest state comes right: "
        ~ dms_snapshots.run_command(declared.table_name, full_refresh=true)
    ) %}
{% endmacro %}


{% macro _report_repairs(declared, found, dry_run) %}
    {% set lines = [
        declared.label ~ ": " ~ (
            dms_snapshots.counted(found | length, "folder") ~ (" was" if found | length == 1 else " were")
            ~ " changed by hand"
            if found else "all files that a date shows or a run builds on are as the version history says"
        )
    ] %}
    {% set delete, build, make = (
        "would delete ", "would build ", "would make "
    ) if dry_run else ("deleted ", "built ", "made ") %}
    {% for one in found %}
        {% do lines.append(
            one.location ~ ": " ~ (
                delete ~ dms_snapshots.counted(one.more | length, "file") ~ ": " ~ one.more | join(", ")
                if one.action == "delete"
                else build ~ dms_snapshots.counted(one.rows, "row") ~ " again from the changes of version "
                ~ one.version ~ ", instead of " ~ ((one.missing + one.more) | join(", ") or "files with other rows")
                if one.action == "build"
                else make ~ "its date again, as backfill does" if one.action == "backfill"
                else "stays as it is, because no date shows it"
            )
        ) %}
    {% endfor %}
    {% do print(lines | join("\n    ")) %}
{% endmacro %}
