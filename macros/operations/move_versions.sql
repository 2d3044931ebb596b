{% macro move_versions(dry_run=true) %}
    {% set versions = dms_snapshots.describe_logs().get("snapshot_versions") %}
    {% if not versions or not dms_snapshots.can_be_moved(versions) %}
        {% do print("There is nothing to move: no versions from before the version log that this release can read.") %}
        {% do return(none) %}
    {% endif %}
    {% set history, rows = dms_snapshots.named_relation("snapshot_versions"), [] %}
    {% for row in dms_snapshots.query_rows(
        "select source_name, table_name, version, _metadata.file_path as path from " ~ history
    ) %}
        {% do rows.append({
            "source_name": row.source_name, "table_name": row.table_name, "version": row.version,
            "folder": row.path.rsplit("/", 1)[0],
        }) %}
    {% endfor %}
    {% if not dry_run %}
        {% set recorded, dates, folders = dms_snapshots.named_relation("snapshot_dates"), [], {} %}
        {% for name in ["snapshot_dates", "snapshot_versions"] %}
            {% do folders.update({name: dms_snapshots.log_location(name)}) %}
        {% endfor %}
        {% for row in (dms_snapshots.query_rows(
            "select _metadata.file_path as path from " ~ recorded ~ " group by all order by max(recorded_at)"
        ) if dms_snapshots.log_exists("snapshot_dates") else []) %}
            {% do dates.append(row.path.rsplit("/", 1)[0]) %}
        {% endfor %}
        {% do dms_snapshots.ask_versions("move", {"versions": rows, "dates": dates}) %}
        {#- From here on commands read the version log: the old history goes last. -#}
        {% for relation in [recorded, history] %}{% do run_query("drop table if exists " ~ relation) %}{% endfor %}
        {% for name in ["snapshot_dates", "snapshot_versions"] %}
            {% do dms_snapshots.create_log_table(
                dms_snapshots.named_relation(name), graph.nodes["model.dms_snapshots." ~ name], folders[name]
            ) %}
        {% endfor %}
        {% do dms_snapshots.derive_tables() %}
    {% endif %}
    {% do print(
        ("Would move " if dry_run else "Moved ") ~ dms_snapshots.counted(rows | length, "version") ~ " of "
        ~ dms_snapshots.counted(rows | map(attribute="table_name") | unique | list | length, "table")
        ~ " to the version log in " ~ dms_snapshots.version_log()
    ) %}
    {% do dms_snapshots._next_command("move_versions", {}, dry_run, "dbt run, as every day") %}
{% endmacro %}
