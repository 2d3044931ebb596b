{% macro fail(number, table, what, not_done=none, fix="") %}
    {% do dms_snapshots.fail_with([dms_snapshots.error_text(number, table, what, not_done, fix)]) %}
{% endmacro %}


{% macro fail_with(errors) %}
    {% do exceptions.raise_compiler_error(errors | join("\n")) %}
{% endmacro %}


{% macro error_text(number, table, what, not_done=none, fix="") %}
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
