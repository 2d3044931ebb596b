{% macro tell_copied_changes(files_sql, declared, files) %}
    {#-
        Of change files that came again together with a full load, which replaces them: DMS writes none a second time.
        Those that came as they were are noted as that, and are not among the files of the run.
    -#}
    {% set replaced = files | selectattr("kind", "equalto", "cdc") | selectattr("generation", "lt", files | map(attribute="generation") | max) %}
    {% set replaced = replaced | map(attribute="path") | list %}
    {% set seen = files | selectattr("kind", "equalto", "load") | map(attribute="indexed_at") | unique | list %}
    {% set known = query_rows(
        "select path, max_by(kind, indexed_at) = 'returned' and cast(max(indexed_at) as string) in ('" ~ seen | join("', '") ~ "') as is_as_it_was"
        ~ " from (" ~ files_sql ~ ") where file_time is not null and kind in ('cdc', 'returned') group by path having count(*) > 1"
    ) %}
    {% set copied = [] %}
    {% for file in known if file.is_as_it_was or file.path in replaced %}{% do copied.append(file.path) %}{% endfor %}
    {% if copied %}
        {% do warn_of_table(
            declared,
            "change files came again together with a full load, which replaces them (" ~ copied | length ~ "): "
            ~ (copied | sort)[:3] | join(", ") ~ (", …" if copied | length > 3),
            "DMS does not write them again. If the folder was copied over itself, what these changes say is missing: let DMS load the table again."
        ) %}
    {% endif %}
{% endmacro %}
