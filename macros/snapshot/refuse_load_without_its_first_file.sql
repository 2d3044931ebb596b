{% macro refuse_load_without_its_first_file(declared, staged) %}
    {#-
        DMS writes the first file of a full load first. Files that come without it were mended, or what
        came with them was rolled back: a table of them alone would lack the rows of all others.
    -#}
    {% if staged.load_files and not staged.has_first_load_file %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": files of its full load have come (" ~ staged.load_files ~ "), but not its first one, LOAD00000001, which DMS writes first. "
            ~ "The rows of the others would be lost, so nothing of this table was published. If you mended a file, write "
            ~ "the others of its full load again too, as they are; but changes written before are left out then, so where there are "
            ~ "change files let DMS load the table again. Then run the same command again."
        ) %}
    {% endif %}
{% endmacro %}
