{% macro missing_folders(folders) %}
    {% set asked = [] %}
    {% for folder in folders %}{% do asked.append({"location": folder}) %}{% endfor %}
    {#- Models of other tables ask meanwhile, in the same session. -#}
    {% set view = "dms_missing_folders_" ~ local_md5(tojson(folders))[:12] %}
    {% do run_query(
        "create or replace temporary view " ~ view
        ~ " (folder string, changed_files string) using dms_folders options (folders "
        ~ dms_snapshots.sql_string(tojson(asked)) ~ ")"
    ) %}
    {% do return(
        dms_snapshots.query_rows(
            "select folder from " ~ view ~ " order by folder"
        ) | map(attribute="folder") | list
    ) %}
{% endmacro %}
