{% macro warn_of_replaced_changes(declared, what, paths) %}
    {#- Only DMS can tell its own full load from files that a person has mended. -#}
    {% do warn_of_table(
        declared,
        what ~ " (" ~ paths | length ~ "): " ~ paths[:3] | join(", ") ~ (", …" if paths | length > 3),
        "If DMS has written that full load, nothing is to be done. If you mended files of it yourself, what these changes say is "
        ~ "missing: let DMS load the table again."
    ) %}
{% endmacro %}
