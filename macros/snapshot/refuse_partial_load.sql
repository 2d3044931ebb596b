{% macro refuse_partial_load(declared, head, staged) %}
    {#-
        A full load may be mended file by file, but a file of it that comes again is the first of another
        full load: the rows of those that do not come again would be lost. The changes written before it
        are left out, as those before any full load; that is told.
    -#}
    {% set files_sql = table_files_sql(declared.source_name, declared.table_name) %}
    {% set replaced = query_rows(replaced_files_sql(files_sql, declared, head, staged.generation)) %}
    {% set loads, changes = [], [] %}
    {% for file in replaced %}{% do (loads if file.kind == "load" else changes).append(file) %}{% endfor %}
    {% if loads %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ (": files of its full load have come again, but not these" if staged.load_files
            else ": changes have come, but not these files of the full load before them")
            ~ " (" ~ loads | length ~ "), which are there as they were:\n  " ~ (loads | map(attribute="path") | list)[:5] | join("\n  ") ~ ("\n  …" if loads | length > 5)
            ~ "\nTheir rows would be lost, so nothing of this table was published. If you mended some files, write these again too, as "
            ~ "they are; but changes written before are left out then, so where there are change files let DMS load the table again. "
            ~ "If DMS is loading it, wait for its last file, and remove those that it no longer writes."
            ~ (" Those of them that were rolled back, dbt run-operation reapply takes again." if loads | selectattr("is_withheld") | list)
            ~ " Then run the same command again."
        ) %}
    {% endif %}
    {% if changes %}
        {% do warn_of_replaced_changes(
            declared,
            "its full load has come again before all of it was published, or after it was rolled back, and replaces change files written before",
            changes | map(attribute="path") | list
        ) %}
    {% endif %}
{% endmacro %}
