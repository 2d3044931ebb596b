{% macro tell_empty_folder(files_sql, declared, folder) %}
    {#-
        A folder without files, of a table whose files were elsewhere: no run would find another one. One
        that has had files is told of by tell_vanished_files, and one that is not the table's any more, by nobody.
    -#}
    {% set had_files = query_rows(
        "select 1 as found from (" ~ files_sql ~ ") where kind not in ('empty', 'unlisted', 'retimed') and startswith(path, "
        ~ sql_string(folder) ~ ") limit 1"
    ) %}
    {% if had_files or folder != absolute_path(declared.path) %}
        {% do return(none) %}
    {% endif %}
    {% set what = "there are no files under " ~ folder ~ ", and those that were taken before are not below it" %}
    {% set advice = "If path or DMS_ROOT is wrong, correct it: python -m pyspark_dms discover <root> --check tells what there is." %}
    {% if declared.on_missing_files == "fail" %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": " ~ what ~ ". Nothing was published, because on_missing_files is fail. " ~ advice
            ~ " If DMS is to write there, set on_missing_files: warn until it has. " ~ _then_again(declared)
        ) %}
    {% endif %}
    {% do warn_of_table(declared, what, "What they said stays published. " ~ advice ~ " If DMS is to write there, nothing is to be done.") %}
{% endmacro %}
