{% macro refuse_unstaged_files(declared, base, head) %}
    {#-
        A snapshot of which nothing is staged would count files as applied that never were: if it is run
        without its staging, or if another run has dropped what the staging of this command has left.
    -#}
    {% set file_count = staged_file_count(declared) %}
    {% if file_count == 0 %}{% do return(none) %}{% endif %}
    {% set files_sql = table_files_sql(declared.source_name, declared.table_name) %}
    {% set rows = query_rows(unstaged_files_sql(files_sql, declared, base, head)) %}
    {% if rows and file_count %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": another run has staged files of this table while this one was at work, and dropped those of this one, for "
            ~ "instance " ~ rows[0].path ~ ". Nothing of this run was published. Run the same command again."
        ) %}
    {% elif rows %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": files are indexed for run_date " ~ run_date() ~ " but not staged, for instance "
            ~ rows[0].path ~ ". Nothing was published. " ~ _with_staging(declared)
        ) %}
    {% endif %}
{% endmacro %}
