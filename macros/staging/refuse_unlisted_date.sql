{% macro refuse_unlisted_date(declared) %}
    {#- That nothing is new can be said only after somebody has looked: this command, or an earlier one. -#}
    {% if "model." ~ project_name ~ ".dms_files" in selected_resources %}{% do return(none) %}{% endif %}
    {% set folder = differing_folder(table_location(model_relation("dms_files"))) %}
    {% do run_query(
        "create or replace temporary view dms_unlisted (folder string) using dms_folders options (folders "
        ~ sql_string(tojson([folder])) ~ ")"
    ) %}
    {% if query_rows("select folder from dms_unlisted") %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": nobody has listed the files for run_date " ~ run_date() ~ ", and dms_files is no part of this command, so "
            ~ "files may be missing. Nothing was published. " ~ _with_staging(declared)
        ) %}
    {% endif %}
{% endmacro %}
