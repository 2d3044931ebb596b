{% macro failing_rows(declared, gate, view, sql) %}
    {#- Some rows that fail a gate; where dbt's own test tells a value only, the keys that have it. -#}
    {% set rows = query_rows("select * from (" ~ sql ~ ") limit 5") %}
    {% if declared.primary_keys and gate.test_metadata.name in ["not_null", "unique", "accepted_values"] %}
        {% set rows = query_rows(
            "select " ~ column_names(declared.primary_keys + [gate.test_metadata.kwargs.column_name]) ~ " from " ~ view ~ " as new_version"
            ~ " left semi join (" ~ sql ~ ") as failing on new_version." ~ sql_name(gate.test_metadata.kwargs.column_name) ~ " <=> failing."
            ~ sql_name(rows[0].keys() | first) ~ " limit 5"
        ) %}
    {% endif %}
    {% do return(rows | map("tojson") | join(", ")) %}
{% endmacro %}
