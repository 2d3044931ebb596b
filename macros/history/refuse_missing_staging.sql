{% macro refuse_missing_staging(staging, declared, plan) %}
    {#- A run that was rolled back and taken again may have lost its staged changes in between. -#}
    {% set dates = list_partitions(staging) | map(attribute="_dms_run_date") | list %}
    {% for run in plan.runs if run.file_count and run.run_date not in dates %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": run_date " ~ run.run_date ~ " is published, but its staged changes are gone, so " ~ model.name
            ~ " cannot tell what happened then. Nothing of it was changed. Stage all files again, which keeps the history of"
            ~ " earlier dates: " ~ run_command(declared.table_name, full_refresh=true) ~ ", then dbt snapshot."
        ) %}
    {% endfor %}
{% endmacro %}
