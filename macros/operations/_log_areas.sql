{% macro _log_areas(declared) %}
    {#- What the logs have of a table, for vacuum. None of their partitions is empty, so the files tell the folders. -#}
    {% set areas = [] %}
    {% for name in ["snapshot_versions", "dms_staged_files", "dms_rejects"] %}
        {% set root = log_location(name) ~ "/" ~ declared.label %}
        {% set needed = [] %}
        {% for row in query_rows(
            "select distinct _metadata.file_path as path from " ~ ref(name) ~ " where " ~ table_filter(declared)
        ) %}
            {% do needed.append(_partition_folder(row.path.rsplit("/", 1)[0], root, 1)) %}
        {% endfor %}
        {% do areas.append({"root": root, "needed": needed}) %}
    {% endfor %}
    {% do return(areas) %}
{% endmacro %}
