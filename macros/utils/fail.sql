{% macro fail(number, table, what, not_done=none, fix="") %}
    {#- The one way to stop with an error. -#}
    {% do dms_snapshots.fail_with([dms_snapshots.error_text(number, table, what, not_done, fix)]) %}
{% endmacro %}


{% macro fail_with(errors) %}
    {#- Stops with errors that error_text has made: what a person can correct in one go comes in one message. -#}
    {% do exceptions.raise_compiler_error(errors | join("\n")) %}
{% endmacro %}


{% macro error_text(number, table, what, not_done=none, fix="") %}
    {#-
        An error as people read it: what is wrong, what was not done (none: nothing of the table was published), what
        to do. Each part is a sentence. Last comes its number, of pyspark_dms/errors.yml.
    -#}
    {% set sentences = [] %}
    {% set not_done = "Nothing of this table was published." if not_done is none else not_done %}
    {% for part in [(table ~ ": " if table else "") ~ what, not_done, fix] if part and part | trim %}
        {% set text = part | trim %}
        {% do sentences.append(text if text[-1] in ".!?" else text ~ ".") %}
    {% endfor %}
    {% do sentences.append("[" ~ number ~ "]") %}
    {#- Behind a list that has a line for each entry, the rest has a line too. -#}
    {% do return(sentences | join("\n" if "\n" in what else " ")) %}
{% endmacro %}
