{% macro check_appended_columns(declared, appended, found_in) %}
    {% set problems = dms_snapshots.column_problems(dict(declared, columns=declared.columns + appended)) if appended %}
    {% if problems %}
        {% do dms_snapshots.fail(
            "E212",
            declared.label,
            found_in ~ " has columns that are not declared (" ~ appended | map(attribute="name") | join(", ")
            ~ ") and cannot be appended:\n  " ~ problems | join("\n  "),
            fix="Rename such a column with a mapping rule in DMS, or leave it out with on_schema_change: ignore. "
            ~ "Then run the same command again."
        ) %}
    {% endif %}
{% endmacro %}
