{% macro tell_other_columns(declared, version) %}
    {#- Rows are gone on from as they are: they have no value of a column that was not declared when they were written. -#}
    {% if version.column_names is none or has_no_files(version) %}{% do return(none) %}{% endif %}
    {% set names = declared.columns | map(attribute="name") | list %}
    {% set now, then = names | map("lower") | list, version.column_names | map("lower") | list %}
    {% set new, gone = [], [] %}
    {% for name in names if name | lower not in then %}{% do new.append(name) %}{% endfor %}
    {% for name in version.column_names if name | lower not in now %}{% do gone.append(name) %}{% endfor %}
    {% if new %}
        {% do warn_of_table(
            declared,
            "declared since version " ~ version.version ~ ": " ~ new | join(", ") ~ ". Rows have NULL there until a change touches them",
            "To read what the files have, build the table anew: " ~ run_command(declared.table_name, full_refresh=true)
        ) %}
    {% endif %}
    {% if gone %}
        {% do warn_of_table(
            declared,
            "no longer declared since version " ~ version.version ~ ": " ~ gone | join(", ") ~ ". It is NULL from this date on",
            "Declared again later, it has NULL in all rows that no change touches, until the table is built anew with --full-refresh."
        ) %}
    {% endif %}
{% endmacro %}
