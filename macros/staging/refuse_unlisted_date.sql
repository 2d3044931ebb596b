{% macro refuse_unlisted_date(declared) %}
    {#- That nothing is new can be said only after somebody has looked: this command, or an earlier one. -#}
    {% if "model." ~ project_name ~ ".dms_files" in selected_resources %}{% do return(none) %}{% endif %}
    {% set listed = table_properties(model_relation("dms_files")).get("dms.listed_for", "") %}
    {% if listed < run_date() %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": the files were " ~ ("last listed for run_date " ~ listed if listed else "never listed") ~ ", and dms_files is "
            ~ "no part of this command, so files of " ~ run_date() ~ " may be missing. Nothing was published. " ~ _with_staging(declared)
        ) %}
    {% endif %}
{% endmacro %}
