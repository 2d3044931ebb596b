{% macro published_line(declared, newest, since=1) %}
    {#-
        The lineage of the current version: itself, the one it is built on, and so on: oldest first, back to a
        version or to the start. A version that took an old state again stands for that one. Each has the last date
        that readers saw with it.
    -#}
    {% set rows = {} %}
    {% for row in query_rows(
        "select version, current_version, restored_version, base_version, cast(run_date as string) as run_date, action,"
        ~ " generation, last_file_seq, size(coalesce(files, array())) as file_count from " ~ named_relation("snapshot_versions")
        ~ " where " ~ table_filter(declared)
        ~ " and version >= " ~ since
    ) %}
        {% do rows.update({row.version: dict(row, last_date=row.run_date)}) %}
    {% endfor %}
    {% set recorded = recorded_dates(declared) %}
    {% for version, dates in recorded.items() if version in rows and dates %}
        {% set row = rows[origin_version(rows, version) if origin_version(rows, version) in rows else version] %}
        {% do row.update({"last_date": [row.last_date, dates | max] | max}) %}
    {% endfor %}
    {% set line = [] %}
    {% set next = namespace(version=rows[newest].current_version) %}
    {% for _ in rows %}
        {% set row = rows.get(next.version) %}
        {% if row and row.restored_version is not none %}
            {% set next.version = row.restored_version %}
        {% elif row %}
            {% do line.insert(0, row) %}
            {% set next.version = row.base_version %}
        {% endif %}
    {% endfor %}
    {% if line %}
        {#- What begins again, by a full refresh, comes after the dates that were published before. -#}
        {% set dates = rows.values() | map(attribute="last_date") | select("lt", line[0].run_date) | sort %}
        {% do line[0].update({"date_before": dates | last if dates else none}) %}
    {% endif %}
    {% do return(line) %}
{% endmacro %}
