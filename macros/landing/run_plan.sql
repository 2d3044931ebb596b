{% macro run_plan(declared) %}
    {% set plans = dms_snapshots.index_node().setdefault("plans", {}) %}
    {% if declared.label not in plans %}
        {% do plans.update({declared.label: dms_snapshots._recorded_plan(declared)}) %}
    {% endif %}
    {% do return(plans[declared.label]) %}
{% endmacro %}


{% macro _recorded_plan(declared) %}
    {% set what = "dms_files has no plan that can be used for run_date " ~ dms_snapshots.run_date()
        ~ ": its last run did not end, or was for another date, path or --full-refresh" %}
    {% set fix = "Run it with the index: " ~ dms_snapshots.run_command(
        declared.table_name, dms_snapshots.is_full_refresh(declared.table_name)
    ) %}
    {% set plan, known = dms_snapshots._last_plan(declared), dms_snapshots.known_versions(declared) %}
    {% set newest, current = known.newest, known.current %}
    {% if not plan %}{% do dms_snapshots.fail("E211", declared.label, what, none, fix) %}{% endif %}
    {% set said = dms_snapshots.versions_of(declared, recorded=true) %}
    {% set recorded = said.recorded %}
    {% set dates = recorded[current.version].dates if current and current.version in recorded else [] %}
    {% if dates and dates | last > dms_snapshots.run_date() %}
        {% do dms_snapshots.fail(
            "E406",
            declared.label,
            "run_date " ~ dms_snapshots.run_date() ~ " is before the newest published one, " ~ dates | last,
            none,
            "Run that date or a later one."
        ) %}
    {% endif %}
    {% do plan.update({"unchanged_dates": dates, "is_published": plan.newest == said.published}) %}
    {% if newest and newest.version != plan.newest %}
        {% if newest.run != plan.run %}
            {% do dms_snapshots.fail(
                "E211",
                declared.label,
                "version " ~ newest.version ~ " was published after its files were indexed for run_date "
                ~ dms_snapshots.run_date(),
                none,
                fix
            ) %}
        {% endif %}
        {#- This plan was carried out already. -#}
        {% do plan.update({
            "action": "none",
            "files": [],
            "shown_version": none,
            "newest": newest.version,
            "is_published": newest.version == said.published,
        }) %}
    {% endif %}
    {#- As the index knows the table: without columns that a failed run has appended. -#}
    {% set plan = dms_snapshots.complete_plan(
        dms_snapshots.read_declaration(dms_snapshots.find_source(declared.source_name, declared.table_name)), plan
    ) %}
    {#- A version for the declaration alone would be made of what was there before the changes of the date. -#}
    {% if plan.action == "none" and plan.is_altered and plan.base_version != current.version
        and plan.shown_version in [none, current.version] %}
        {% do dms_snapshots.fail(
            "E211",
            declared.label,
            "its declaration has changed since version " ~ current.version ~ " of run_date "
            ~ dms_snapshots.run_date() ~ " was made, and this command has not indexed its files",
            none,
            fix
        ) %}
    {% endif %}
    {% do return(plan) %}
{% endmacro %}


{% macro _last_plan(declared) %}
    {% if not dms_snapshots.log_exists("dms_files") %}{% do return(none) %}{% endif %}
    {% set folder = dms_snapshots.log_location("dms_files") ~ "/plans/" ~ dms_snapshots.run_date() | replace("-", "") %}
    {% if dms_snapshots.missing_folders([folder]) %}{% do return(none) %}{% endif %}
    {% set indexed = (
        dms_snapshots.list_partitions(
            dms_snapshots.named_relation("dms_files"), {"run_date": dms_snapshots.run_date()}
        ) | map(attribute="version") | list
    ) %}
    {% set paths = [] %}
    {% for folder in dms_snapshots.folder_texts(declared.path) %}
        {% do paths.append(dms_snapshots.absolute_path(folder)) %}
    {% endfor %}
    {% do paths.append(dms_snapshots.absolute_path(declared.transaction_path) if declared.transaction_path else none) %}
    {% set last = {} %}
    {% set rows = dms_snapshots.query_rows(
        "select run, plan from parquet." ~ dms_snapshots.sql_name(folder ~ "/*") ~ " where label = "
        ~ dms_snapshots.sql_string(declared.label)
    ) | sort(attribute="run") %}
    {% for row in rows if row.run == (rows | last).run %}
        {% set plan = fromjson(row.plan) %}
        {#-
            A run of the index that died before its events were added has indexed nothing. Where a plan needed the
            files of earlier versions, a second one of the same run has them.
        -#}
        {% if (row.run in indexed or not plan.has_added) and not plan.needs_history
            and plan.paths == paths and plan.full_refresh == dms_snapshots.is_full_refresh(declared.table_name) %}
            {% do last.update({"plan": plan}) %}
        {% endif %}
    {% endfor %}
    {% do return(last.get("plan")) %}
{% endmacro %}


{% macro complete_plan(declared, plan) %}
    {% set versions = dms_snapshots.known_versions(declared) %}
    {% do return(dict(
        plan, version=versions.next, current=versions.current, base=versions.base,
        is_altered=dms_snapshots.is_redeclared(declared, versions.current)
    )) %}
{% endmacro %}
