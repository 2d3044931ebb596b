{% macro tell_copied_changes(files_sql, declared, files) %}
    {#- Of change files that came again together with a full load, which replaces them: DMS writes none a second time. -#}
    {% set newest = files | map(attribute="generation") | max %}
    {% set replaced = files | selectattr("kind", "equalto", "cdc") | selectattr("generation", "lt", newest) | map(attribute="path") | list %}
    {% set known = query_rows(
        "select path from (" ~ files_sql ~ ") where kind = 'cdc' group by path having count(*) > 1"
    ) if replaced else [] %}
    {% set copied = known | map(attribute="path") | select("in", replaced) | sort %}
    {% if copied %}
        {% do warn_of_table(
            declared,
            "change files came again together with a full load, which replaces them (" ~ copied | length ~ "): "
            ~ copied[:3] | join(", ") ~ (", …" if copied | length > 3),
            "DMS does not write them again. If the folder was copied over itself, what these changes say is missing: let DMS load the table again."
        ) %}
    {% endif %}
{% endmacro %}
