{% macro refuse_other_staging(declared, plan, newest) %}
    {#- A run date that was redone, and then went back, has in staging what was staged last. -#}
    {% set dates = plan.runs | map(attribute="run_date") | join("', date'") %}
    {% set differing = query_rows(
        "select cast(run_date as string) as run_date, path, staged.etag is null as is_missing, applied.etag is null as is_more, "
        ~ weighing_problems_sql(declared, "staged") ~ " as problems from"
        ~ " (select run_date, column_names, primary_keys, inline(files) as (path, etag) from " ~ model_relation("snapshot_versions") ~ " where "
        ~ versions_filter(declared, plan.runs | map(attribute="version") | list) ~ ") as applied full join (select * from ("
        ~ _uploads_sql(declared, newest) ~ ") where run_date in (date'" ~ dates ~ "')) as staged using (run_date, path, etag)"
        ~ " where applied.etag is null or staged.etag is null or " ~ staged_otherwise_sql(declared, "applied", "staged")
        ~ " order by run_date, path limit 1"
    ) %}
    {% for file in differing %}
        {% set run = plan.runs | selectattr("run_date", "equalto", file.run_date) | first %}
        {% if file.problems and not (file.is_missing or file.is_more) %}
            {% do exceptions.raise_compiler_error(
                declared.label ~ ": the changes that version " ~ run.version ~ " published for run_date " ~ run.run_date ~ ", for instance those of "
                ~ file.path ~ ", were staged as they were declared then: " ~ file.problems | join(", ") ~ ". So " ~ model.name
                ~ " cannot tell what happened then. Nothing of it was changed. Stage all files as they are declared now, which keeps the history "
                ~ "of earlier dates: " ~ run_command(declared.table_name, full_refresh=true) ~ "; if the files were other ones then, first let DMS load "
                ~ "the table again and move the change files of before away. Then dbt snapshot."
            ) %}
        {% endif %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": staging is not what version " ~ run.version ~ " published for run_date " ~ run.run_date ~ "; it "
            ~ ("lacks" if file.is_missing else ("also has" if file.is_more else "has under another declaration")) ~ " " ~ file.path
            ~ ", because that date was staged again and not published, or rolled back. So " ~ model.name ~ " cannot tell what happened then. Nothing of it was changed. Publish "
            ~ "that date again with dbt run; or stage all files again, which keeps the history of earlier dates: "
            ~ run_command(declared.table_name, full_refresh=true) ~ ". Then dbt snapshot."
        ) %}
    {% endfor %}
{% endmacro %}
