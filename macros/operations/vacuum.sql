{% macro vacuum(select=none, retention=none, grace_hours=24, dry_run=true) %}
    {% for value, name in [(retention, "retention"), (grace_hours, "grace_hours")] %}
        {% if value is not none and (value is not number or value is boolean or value < 0) %}
            {% do dms_snapshots.fail(
                "E412", none, name ~ " is " ~ tojson(value) ~ "; allowed is a number from 0", "Nothing was changed."
            ) %}
        {% endif %}
    {% endfor %}
    {% set written_before = [0, run_started_at.timestamp() - grace_hours * 3600] | max %}
    {% set ready, found = [], [] %}
    {% for one in dms_snapshots._planned("vacuum", select, dry_run, {"retention": retention}) %}
        {% if one.plan.commit %}
            {% do ready.append(one) %}
        {% elif not dry_run %}
            {% do dms_snapshots._carry_out(one) %}
        {% endif %}
    {% endfor %}
    {% for one in ready %}
        {% do found.extend(dms_snapshots._vacuum_table(one.table, one.plan, written_before, dry_run)) %}
    {% endfor %}
    {% if not dry_run %}{% do dms_snapshots.derive_tables() %}{% endif %}
    {% if ready %}
        {#- The plans of runs; only what is run for their date without the index reads them. -#}
        {% set areas = {"dms_files": [
            {"root": dms_snapshots.log_location("dms_files") ~ "/plans", "needed": []}
        ]} %}
        {% do areas.update(dms_snapshots.derived_areas()) %}
        {% for name, of_table in areas.items() %}
            {% set folders = dms_snapshots._vacuumed_folders({
                "areas": of_table, "written_before": written_before, "delete": not dry_run
            }) %}
            {% if folders %}{% do dms_snapshots._report_vacuumed(name, folders, dry_run) %}{% endif %}
            {% do found.extend(folders) %}
        {% endfor %}
    {% endif %}
    {% set refused = found | selectattr("first_refusal") | list %}
    {% if refused %}
        {% set count = dms_snapshots.counted(refused | sum(attribute="refused_count"), "file") %}
        {% do dms_snapshots.fail("E710", none, count ~ " stayed, the rest is deleted", refused[0].first_refusal) %}
    {% endif %}
    {% do dms_snapshots._next_command(
        "vacuum",
        {"select": select, "retention": retention, "grace_hours": grace_hours},
        dry_run,
        "dbt run, as every day; deleted files cannot be had again"
    ) %}
{% endmacro %}
