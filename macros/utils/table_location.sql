{% macro table_location(relation) %}
    {% set location = dms_snapshots.described_table(relation).location %}
    {% if not location %}
        {% do dms_snapshots.fail(
            "E701",
            none,
            relation ~ " has no location in the metastore; is it a view?",
            "Nothing was changed.",
            "Drop or rename it."
        ) %}
    {% endif %}
    {% do return(location) %}
{% endmacro %}
