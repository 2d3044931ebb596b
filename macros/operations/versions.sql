{% macro versions(select="*", limit=20) %}
    {#- Prints the newest versions of each table, the newest last, as a table. -#}
    {% if limit is not integer or limit < 1 %}
        {% do exceptions.raise_compiler_error("limit is " ~ limit ~ ". Allowed is how many versions to print of each table: 1 or more.") %}
    {% endif %}
    {% if load_relation(ref("snapshot_versions")) is none %}
        {% do print("Nothing was ever published. Publish with dbt run.") %}
        {% do return(none) %}
    {% endif %}
    {% for table in _selected_tables(select, with_inactive=true) %}
        {% set entries, state = version_entries(table.declared), table_state(table.declared) %}
        {% set shown = state.whole.dates.values() | list if entries else [] %}
        {% set current = state.whole.current.version if entries else none %}
        {% set lines = [["version", "date", "action", "of", "base", "before", "+", "~", "-", "after", "files", "finished (UTC)", "readers"]] %}
        {% for entry in (entries.values() | list)[-limit:] %}
            {% do lines.append([
                entry.version, entry.run_date, entry.action, entry.restored_version or "", entry.base_version or "", entry.rows_before,
                entry.rows_inserted, entry.rows_updated, entry.rows_deleted, entry.rows_after, entry.file_count, entry.finished_at,
                "current" if entry.version == current else ("see it" if entry.version in shown else ""),
            ]) %}
        {% endfor %}
        {% do print(table.declared.label ~ " (" ~ entries | length ~ " versions)") %}
        {% do print(_aligned(lines) if entries else "  nothing was ever published") %}
    {% endfor %}
{% endmacro %}
