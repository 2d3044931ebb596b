{% macro versions(select="*", limit=20) %}
    {% if limit is not integer or limit < 1 %}
        {% do dms_snapshots.fail(
            "E412",
            none,
            "limit is " ~ limit,
            "Nothing was printed.",
            "Allowed is how many versions to print of each table: 1 or more."
        ) %}
    {% endif %}
    {% if load_relation(ref("dms_snapshots", "snapshot_versions")) is none %}
        {% do print("Nothing was ever published. Publish with dbt run.") %}
        {% do return(none) %}
    {% endif %}
    {% for table in dms_snapshots._selected_tables(select, with_inactive=true) %}
        {% set entries, state = dms_snapshots.version_entries(
            table.declared
        ), dms_snapshots.table_state(table.declared) %}
        {% set shown = state.whole.dates.values() | list if entries else [] %}
        {% set current = state.whole.current.version if entries else none %}
        {% set lines = [[
            "version", "date", "action", "of", "base", "before", "+", "~", "-", "after", "files", "finished (UTC)",
            "readers",
        ]] %}
        {% for entry in (entries.values() | list)[-limit:] %}
            {% do lines.append([
                entry.version, entry.run_date, entry.action, entry.restored_version or "", entry.base_version or "",
                entry.rows_before, entry.rows_inserted, entry.rows_updated, entry.rows_deleted, entry.rows_after,
                entry.file_count, entry.finished_at,
                "current" if entry.version == current else ("see it" if entry.version in shown else ""),
            ]) %}
        {% endfor %}
        {% do print(table.declared.label ~ " (" ~ dms_snapshots.counted(entries | length, "version") ~ ")") %}
        {% do print(dms_snapshots._aligned(lines) if entries else "  nothing was ever published") %}
    {% endfor %}
{% endmacro %}


{% macro _aligned(rows) %}
    {% set widths = [] %}
    {% for cell in rows[0] %}
        {% set column = loop.index0 %}
        {% set lengths = [] %}
        {% for row in rows %}{% do lengths.append(row[column] | string | length) %}{% endfor %}
        {% do widths.append(lengths | max) %}
    {% endfor %}
    {% set lines = [] %}
    {% for row in rows %}
        {% set cells = [] %}
        {% for cell in row %}
            {% set text = cell | string %}
            {% do cells.append(
                text.rjust(widths[loop.index0]) if cell is number else text.ljust(widths[loop.index0])
            ) %}
        {% endfor %}
        {% do lines.append(("  " ~ cells | join("  ")).rstrip()) %}
    {% endfor %}
    {% do return(lines | join("\n")) %}
{% endmacro %}


{% macro version_entries(declared) %}
    {% set entries = {} %}
    {% for row in dms_snapshots.query_rows(
        "select version, action, restored_version, base_version, cast(run_date as string) as run_date,"
        ~ " rows_before, rows_inserted, rows_updated, rows_deleted, rows_after,"
        ~ " size(coalesce(files, array())) as file_count,"
        ~ " date_format(finished_at, 'yyyy-MM-dd HH:mm:ss') as finished_at from "
        ~ ref("dms_snapshots", "snapshot_versions")
        ~ " where " ~ dms_snapshots.table_filter(declared)
    ) | sort(attribute="version") %}
        {% do entries.update({row.version: row}) %}
    {% endfor %}
    {% do return(entries) %}
{% endmacro %}
