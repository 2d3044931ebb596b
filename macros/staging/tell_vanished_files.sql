{% macro tell_vanished_files(files_sql, declared, base, head) %}
    {#-
        Files that are gone since the base was published, and that no later full load replaced. They
        are told once: after the first of them the table cannot be built from its files any more,
        whatever else goes, until there is a new full load. That none is left of what was there is told
        each time.
    -#}
    {% set gone = query_rows(missing_files_sql(files_sql, declared, base, head))[0] %}
    {% if gone.rewritten_count %}
        {% set what = "files that no run had taken are gone, and a full load has begun since (" ~ gone.rewritten_count ~ "): "
            ~ gone.rewritten_paths | join(", ") ~ (", …" if gone.rewritten_count > gone.rewritten_paths | length) %}
        {% set way_out = "If its first file is one that was mended, put them back as they were, or let DMS load the table again" %}
        {% if declared.on_missing_files == "fail" %}
            {% do exceptions.raise_compiler_error(
                declared.label ~ ": " ~ what ~ ". Nothing was published, because on_missing_files is fail. " ~ way_out ~ ". If DMS has loaded it "
                ~ "again, set on_missing_files: warn for one run, which leaves them out. " ~ _then_again(declared)
            ) %}
        {% endif %}
        {% do warn_of_table(
            declared, what, "They are left out. If DMS has loaded the table again, nothing is to be done. " ~ way_out ~ ": their rows are missing."
        ) %}
    {% endif %}
    {% if not gone.new_count %}
        {% do return(none) %}
    {% endif %}
    {% set what = "files that were applied are gone (" ~ gone.new_count ~ "): "
        ~ gone.first_paths | join(", ") ~ (", …" if gone.new_count > gone.first_paths | length) %}
    {% set left = "None is left of what was there, as after a TRUNCATE or DROP at the source, of which DMS writes nothing else. " if not gone.left_count %}
    {% if declared.on_missing_files == "fail" %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": " ~ what ~ ". " ~ left ~ "Nothing was published, because on_missing_files is fail. Put them back as they were, or let DMS "
            ~ "reload the table; if they were archived on purpose, set on_missing_files: warn. " ~ _then_again(declared)
        ) %}
    {% endif %}
    {% if left or not gone.told_count %}
        {% do warn_of_table(
            declared,
            what,
            (left ~ "If that is what happened, let DMS load the table again: rows that are no longer there stay published until then. " if left else "")
            ~ "What they said stays published, but the table cannot be built from its files "
            ~ "(--full-refresh) until they are back or DMS has reloaded it. If they were archived on purpose, nothing is to be done."
        ) %}
    {% endif %}
{% endmacro %}
