{% macro stage_files(relation, declared, plan) %}
    {% set staged = dms_snapshots.staged_folder(declared, plan) %}
    {% set view = dms_snapshots.sql_name(relation.identifier ~ "__staging") %}
    {% set job = {
        "location": staged.folder,
        "report": staged.report,
        "rejects": staged.rejects or "",
        "fingerprint": staged.fingerprint,
        "files": plan.files,
        "settings": dms_snapshots.reader_settings(declared),
        "dates": [declared.partition_date, declared.partition_granularity]
            if declared.partition_date and plan.action == "build" else none,
    } %}
    {% do run_query(
        "create or replace temporary view " ~ view ~ " (row_count bigint, reject_count bigint, problems array<string>,"
        ~ " new_columns array<string>, first_path string, nulled array<string>, clocks array<string>)"
        ~ " using dms_stage options (job "
        ~ dms_snapshots.sql_string(tojson(job)) ~ ")"
    ) %}
    {% set groups = dms_snapshots.query_rows("select * from " ~ view) %}
    {% set problems = groups | sum(attribute="problems", start=[]) | unique | sort %}
    {% if problems %}
        {% do dms_snapshots.fail(
            "E208",
            declared.label,
            problems | length ~ " of " ~ plan.files | length ~ " files cannot be read:\n  "
            ~ problems[:5] | join("\n  ") ~ "\n",
            none,
            "Correct the cause, or upload the file again under its name. Then run the same command again."
        ) %}
    {% endif %}
    {% set new_columns = groups | sum(attribute="new_columns", start=[]) | unique | list %}
    {% if new_columns %}
        {#- Only now it is known that the files have more; with it declared they are read again. -#}
        {% do dms_snapshots.append_columns(
            relation, declared, new_columns, groups | map(attribute="first_path") | select | min
        ) %}
        {% do return(dms_snapshots.stage_files(relation, declared, plan)) %}
    {% endif %}
    {% do dms_snapshots.warn_of_clocks(declared, groups | sum(attribute="clocks", start=[])) %}
    {% set reject_count = groups | sum(attribute="reject_count") %}
    {% if reject_count %}
        {% do dms_snapshots.warn_of_table(
            declared,
            reject_count ~ " rows cannot be read and are in dms_rejects, with the reason, the file and the row",
            "Correct the cause, then run the same command again."
        ) %}
    {% endif %}
    {% set nulled = groups | sum(attribute="nulled", start=[]) | unique | sort %}
    {% if nulled %}
        {% do dms_snapshots.warn_of_table(
            declared,
            nulled | length ~ " files lack columns, so that earlier values became NULL, such as " ~ nulled[0],
            "If the source has these columns, "
            ~ ("log all columns there, and reload" if declared.before_image_prefix else "set image: partial, or reload")
            ~ " the table in DMS."
        ) %}
    {% endif %}
    {% do return({"file_count": plan.files | length, "row_count": groups | sum(attribute="row_count")}) %}
{% endmacro %}


{% macro append_columns(relation, declared, found, path) %}
    {% set types = {} %}
    {% set spelled = {} %}
    {% for columns in found %}
        {% for column in fromjson(columns) %}
            {% do spelled.setdefault(column[0] | lower, column[0]) %}
            {% do types.setdefault(column[0] | lower, []).append(column[1]) %}
        {% endfor %}
    {% endfor %}
    {% set added = [] %}
    {% for key, kinds in types.items() %}
        {% if kinds | unique | list | length > 1 %}
            {% do dms_snapshots.fail(
                "E212",
                declared.label,
                "files have the new column " ~ spelled[key] ~ " as " ~ kinds | unique | sort | join(" and as "),
                fix="Declare the column with the type that it is to have; then run the same command again."
            ) %}
        {% endif %}
        {% do added.append({"name": spelled[key], "data_type": kinds[0], "description": ""}) %}
    {% endfor %}
    {% do dms_snapshots.check_appended_columns(declared, added, path) %}
    {% do run_query("alter table " ~ relation ~ " add columns (" ~ dms_snapshots.column_definitions(added) ~ ")") %}
    {% do declared.columns.extend(added) %}
    {% do dms_snapshots.warn_of_table(
        declared,
        "files have new columns, which are added to the tables: " ~ added | map(attribute="name") | join(", "),
        "Declare them, so that they are described and their types are kept."
    ) %}
{% endmacro %}


{% macro warn_of_clocks(declared, clocks) %}
    {% set found = {} %}
    {% set read = [] %}
    {% for one in clocks %}{% do read.append(fromjson(one)) %}{% endfor %}
    {% for one in read | sort(attribute="minutes") %}{% do found.update({one.kind: one}) %}{% endfor %}
    {% set ahead = found.values() | selectattr("minutes") | list %}
    {% if not ahead %}{% do return(none) %}{% endif %}
    {% set one, fits_both = ahead | last, found.values() | map(attribute="minutes") | unique | list | length == 1 %}
    {% set hours = "%d:%02d" | format(one.minutes // 60, one.minutes % 60) %}
    {% if not fits_both %}
        {% set advice = "Those of its " ~ ("changes" if one.kind == "load" else "full load")
            ~ " differ, so no timestamp_timezone fits both. Correct the time zone at the DMS task." %}
    {% elif one.zone and declared.timestamp_timezone == "UTC" %}
        {% set advice = "If they are local times, declare timestamp_timezone: " ~ one.zone
            ~ " (or the zone of the source), then: "
            ~ dms_snapshots.run_command(declared.table_name, full_refresh=true) %}
    {% else %}
        {% set advice = "timestamp_timezone is " ~ declared.timestamp_timezone ~ ": declare the zone of the source." %}
    {% endif %}
    {% do dms_snapshots.warn_of_table(
        declared,
        "commit times of its " ~ ("full load" if one.kind == "load" else "changes") ~ " are " ~ hours
        ~ " h ahead of UTC: " ~ one.path.split("/") | last ~ ", of " ~ one.written ~ ", has " ~ one.said,
        advice
    ) %}
{% endmacro %}
