{% macro refuse_second_writer(declared, version) %}
    {% do exceptions.raise_compiler_error(
        declared.label ~ ": another run has published version " ~ version ~ " while this one was at work. Nothing of "
        ~ "this run was published. Run the same command again: it starts from that version."
    ) %}
{% endmacro %}
