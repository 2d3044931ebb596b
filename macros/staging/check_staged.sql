{% macro check_staged(declared, plan) %}
    {#-
        Whether the staging of this plan is done. Where it is part of the command, dbt has seen to that; an earlier
        command may have staged nothing, or under another declaration, and then the folder is not there.
    -#}
    {% if not plan.files or is_selected(staging_relation(declared).identifier) %}{% do return(none) %}{% endif %}
    {% set staged = staged_folder(declared, plan) %}
    {% set is_there = not missing_folders([staged.report]) %}
    {% set found = (
        query_rows("select distinct path from parquet." ~ sql_name(staged.report)) | length if is_there else 0
    ) %}
    {% if found < plan.files | length %}
        {% do fail(
            declared.label,
            "its files for run_date " ~ plan.run_date ~ " are not staged as it is declared now ("
            ~ found ~ " of " ~ plan.files | length ~ ")",
            none,
            "Run it with its staging: " ~ run_command(declared.table_name, plan.full_refresh)
        ) %}
    {% endif %}
{% endmacro %}


{% macro is_selected(name) %}
    {#- Whether this command runs a model of this name. -#}
    {% for id in selected_resources if id.split(".") | last == name %}{% do return(true) %}{% endfor %}
    {% do return(false) %}
{% endmacro %}
