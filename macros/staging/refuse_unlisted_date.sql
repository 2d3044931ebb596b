{% macro refuse_unlisted_date(declared, is_staged=true) %}
    {#-
        That nothing is new can be said only after somebody has looked, where the table is now: this command,
        of which staging refuses what could not be listed, or an earlier one. One that found something and died
        before adding it to the index is nobody.
    -#}
    {% if is_staged and log_node("dms_files").get("has_additions") is not none %}{% do return(none) %}{% endif %}
    {% set runs = differing_folder(log_location("dms_files")) %}
    {% set listed = [] %}
    {% if not missing_folders([runs]) %}
        {#- The view is that of all threads of a session, which dms_files has left by now. -#}
        {% do look_for_differing_files(runs ~ "/*") %}
        {% set added = list_partitions(model_relation("dms_files"), {"run_date": run_date()}) | map(attribute="version") | list %}
        {% set listed = query_rows(
            "select path from (select *, bool_or(difference not in ('listed', 'empty')) over (partition by found_by) as has_found"
            ~ " from dms_compared_files) where difference in ('listed', 'empty') and " ~ table_filter(declared)
            ~ " and (not has_found or found_by in ('" ~ added | join("', '") ~ "'))"
        ) | map(attribute="path") | map("trim", "/") | list %}
    {% endif %}
    {#- Without slashes: a listing gives the root of a bucket one more than the declaration. -#}
    {% for folder in [declared.path, declared.transaction_path] | select if absolute_path(folder) | trim("/") not in listed %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": nobody has listed the files under " ~ folder ~ " for run_date " ~ run_date() ~ ", so "
            ~ "files may be missing. Nothing was published. " ~ _with_staging(declared)
        ) %}
    {% endfor %}
{% endmacro %}
