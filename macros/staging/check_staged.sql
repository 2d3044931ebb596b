{% macro check_staged(declared, plan) %}
    {#-
        Whether the staging of this plan is done. Where it is part of the command, dbt has seen to that; an earlier
        command may have staged nothing, or under another declaration, and then the folder is not there.
    -#}
    {% if not plan.files or dms_snapshots.is_selected(dms_snapshots.staging_relation(declared).identifier) %}
        {% do return(none) %}
    {% endif %}
    {% set staged = dms_snapshots.staged_folder(declared, plan) %}
    {% set is_there = not dms_snapshots.missing_folders([staged.report]) %}
    {% set found = (
        dms_snapshots.query_rows(
            "select distinct path from parquet." ~ dms_snapshots.sql_name(staged.report)
        ) | length if is_there else 0
    ) %}
    {% if found < plan.files | length %}
        {% do dms_snapshots.fail(
            "E211",
            declared.label,
            "its files for run_date " ~ plan.run_date ~ " are not staged as it is declared now ("
            ~ found ~ " of " ~ plan.files | length ~ ")",
            none,
            "Run it with its staging: " ~ dms_snapshots.run_command(declared.table_name, plan.full_refresh)
        ) %}
    {% endif %}
{% endmacro %}


{% macro is_selected(name) %}
    {#- Whether this command runs a model of this name. -#}
    {% for id in selected_resources if id.split(".") | last == name %}{% do return(true) %}{% endfor %}
    {% do return(false) %}
{% endmacro %}
