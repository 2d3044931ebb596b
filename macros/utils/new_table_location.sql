{% macro new_table_location(relation) %}
    {% if config.get("location_root") %}
        {% do return(config.get("location_root") ~ "/" ~ relation.identifier) %}
    {% endif %}
    {% for row in run_query("describe schema " ~ relation.schema).rows if row[0] == "Location" %}
        {% do return(row[1] ~ "/" ~ relation.identifier) %}
    {% endfor %}
    {% do dms_snapshots.fail(
        "E701",
        none,
        "The schema " ~ relation.schema ~ " has no location, so " ~ relation.identifier ~ " has none either",
        "Nothing was changed.",
        "Give the schema one."
    ) %}
{% endmacro %}
