{% macro published_line(declared, newest, since=none) %}
    {#- The newest version, what it is built on, and so on: oldest first, back to a date or to the start. -#}
    {% set by_version = {} %}
    {% for row in query_rows(
        "select version, base_version, cast(run_date as string) as run_date, action, generation, last_file_seq"
        ~ " from " ~ model_relation("snapshot_versions")
        ~ " where source_name = " ~ sql_string(declared.source_name) ~ " and table_name = " ~ sql_string(declared.table_name)
        ~ (" and run_date >= date'" ~ since ~ "'" if since else "")
    ) %}
        {% do by_version.update({row.version: row}) %}
    {% endfor %}
    {% set line = [by_version[newest.version]] %}
    {% for _ in by_version %}
        {% if line[0].base_version in by_version %}{% do line.insert(0, by_version[line[0].base_version]) %}{% endif %}
    {% endfor %}
    {% do return(line) %}
{% endmacro %}
