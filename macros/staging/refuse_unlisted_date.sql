{% macro refuse_unlisted_date(declared, is_staged=true) %}
    {#-
        That nothing is new can be said only after somebody has looked, where the table is now: this command,
        of which staging refuses what could not be listed, or an earlier one.
    -#}
    {% if is_staged and log_node("dms_files").get("has_additions") is not none %}{% do return(none) %}{% endif %}
    {% for folder, run in last_listings(declared).items() if not run %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": nobody has listed the files under " ~ folder ~ " for run_date " ~ run_date() ~ ", so "
            ~ "files may be missing. Nothing was published. " ~ _with_staging(declared)
        ) %}
    {% endfor %}
{% endmacro %}
