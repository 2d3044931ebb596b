{% macro check_staged(declared, plan) %}
    {% if not plan.files or dms_snapshots.is_selected(dms_snapshots.staging_relation(declared).identifier) %}
        {% do return(none) %}
    {% endif %}
    {% set staged = dms_snapshots.staged_folder(declared, plan) %}
    {#-
        Each group of files that was staged to its end has a report; a folder without any is not there. Another attempt
        may have made other groups, because it could not open all files.
    -#}
    {% if dms_snapshots.missing_folders([staged.report]) or not dms_snapshots.query_rows(
        "select count(distinct group_number) = max(group_count) and min(group_count) = max(group_count) as is_whole"
        ~ " from parquet." ~ dms_snapshots.sql_name(staged.report)
    )[0].is_whole %}
        {% do dms_snapshots.fail(
            "E211",
            declared.label,
            "its files for run_date " ~ plan.run_date ~ " are not staged as it is declared now, or not all of them ("
            ~ dms_snapshots.counted(plan.files | length, "file") ~ ", for instance " ~ plan.files[0].path ~ ")",
            none,
            "Run it with its staging: " ~ dms_snapshots.run_command(declared.table_name, plan.full_refresh)
        ) %}
    {% endif %}
{% endmacro %}


{% macro is_selected(name) %}
    {% for id in selected_resources if id.split(".") | last == name %}{% do return(true) %}{% endfor %}
    {% do return(false) %}
{% endmacro %}
