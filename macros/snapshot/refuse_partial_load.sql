{% macro refuse_partial_load(declared, head, staged) %}
    {#-
        A full load that was refused, or rolled back, may be mended file by file, but a file of it that comes
        again is the first of another full load: the rows of those that do not come again would be lost.
    -#}
    {% set published = head.generation if head else 0 %}
    {% if staged.generation <= published + 1 %}
        {% do return(none) %}
    {% endif %}
    {% set left = query_rows(loads_left_sql(table_files_sql(declared.source_name, declared.table_name), published, staged.generation)) %}
    {% if left %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": files of its full load have come again, but the full load before them is not published, and of that "
            ~ left | length ~ " files are there that have not come again:\n  " ~ left[:5] | map(attribute="path") | join("\n  ")
            ~ "\nTheir rows would be lost, so nothing of this table was published. If you mended some files, write these again too, as "
            ~ "they are. If DMS is loading the table again, wait for its last file, and remove those that it no longer writes. Then run the "
            ~ "same command again."
        ) %}
    {% endif %}
{% endmacro %}
