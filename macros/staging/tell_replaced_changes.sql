{% macro tell_replaced_changes(declared, base, files) %}
    {#- Change files that were written before the full load of the state, and are seen only after it. -#}
    {% set replaced = files | selectattr("generation", "lt", base.generation) | selectattr("kind", "equalto", "cdc") | map(attribute="path") | list if base else [] %}
    {% if replaced %}
        {% do warn_of_table(
            declared,
            "change files were written before its full load, which replaces them (" ~ replaced | length ~ "): "
            ~ replaced[:3] | join(", ") ~ (", …" if replaced | length > 3),
            "If DMS has written that full load, nothing is to be done. If you mended files of it yourself, what these changes say is "
            ~ "missing: let DMS load the table again."
        ) %}
    {% endif %}
{% endmacro %}
