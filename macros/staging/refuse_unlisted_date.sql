{% macro refuse_unlisted_date(declared) %}
    {#- That nothing is new can be said only after somebody has looked: this command, or an earlier one. -#}
    {% if "model." ~ project_name ~ ".dms_files" in selected_resources %}{% do return(none) %}{% endif %}
    {% set index = model_relation("dms_files") %}
    {% if list_partitions(index, {"run_date": run_date()}) %}{% do return(none) %}{% endif %}
    {#- Nothing was indexed for the date: somebody has looked and found nothing, or died before adding it, or nobody has. -#}
    {% set folder = differing_folder(log_location("dms_files")) %}
    {% if missing_folders([folder]) or look_for_differing_files(folder ~ "/*") %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": nobody has listed the files for run_date " ~ run_date() ~ ", and dms_files is no part of this command, so "
            ~ "files may be missing. Nothing was published. " ~ _with_staging(declared)
        ) %}
    {% endif %}
{% endmacro %}
