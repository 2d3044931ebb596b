{% macro create_rows_view(name, declared, root, partitions, written_as=none, version=none) %}
    {% if partitions %}
        {#- One path for all, as Hadoop writes alternatives: a view over a thousand folders is one statement. -#}
        {% set folders = [] %}
        {% for partition in partitions %}{% do folders.append(partition.location[root | length + 1:]) %}{% endfor %}
        {% set path = root ~ "/{" ~ folders | join(",") ~ "}" if folders | length > 1 else partitions[0].location %}
        {% do dms_snapshots.create_files_view(name, declared.columns, path, declared, written_as, version) %}
    {% else %}
        {% set no_rows = dms_snapshots.no_rows_sql(declared.columns) %}
        {% do run_query("create or replace temporary view " ~ dms_snapshots.sql_name(name) ~ " as " ~ no_rows) %}
    {% endif %}
{% endmacro %}
