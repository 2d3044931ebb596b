{% macro refuse_appended_columns(declared, appended, found_in) %}
    {#- A column that a file brings is held to what a declared one is held to: its name may be taken. -#}
    {% set problems = column_problems(dict(declared, columns=declared.columns + appended)) %}
    {% if appended and problems %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": " ~ found_in ~ " has columns that are not declared (" ~ appended | map(attribute="name") | join(", ")
            ~ ") and cannot be appended:\n  " ~ problems | join("\n  ") ~ "\nNothing of this table was published. Rename such a column "
            ~ "with a mapping rule in DMS, or set on_schema_change: ignore to leave it out. Then run the same command again."
        ) %}
    {% endif %}
{% endmacro %}
