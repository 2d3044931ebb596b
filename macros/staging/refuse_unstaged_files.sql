{% macro refuse_unstaged_files(declared, base, head) %}
    {#- A snapshot that is run without its staging would count files as applied that never were. -#}
    {% set staging = "model." ~ project_name ~ ".stg_" ~ declared.source_name ~ "__" ~ declared.table_name %}
    {% if staging in selected_resources %}
        {% do return(none) %}  {#- It has run just before, or this would not. -#}
    {% endif %}
    {% set files_sql = table_files_sql(declared.source_name, declared.table_name) %}
    {% set rows = query_rows(unstaged_files_sql(files_sql, declared, base, head)) %}
    {% if rows %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": files are indexed for run_date " ~ run_date() ~ " but not staged, for instance "
            ~ rows[0].path ~ ". Nothing was published. Run the staging model too: dbt run --select +"
            ~ declared.table_name ~ "_snapshot" ~ (" --full-refresh" if should_full_refresh() else "") ~ "."
        ) %}
    {% endif %}
{% endmacro %}
