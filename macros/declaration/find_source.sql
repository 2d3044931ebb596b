{% macro find_source(source_name, table_name) %}
    {% set unique_id = dms_snapshots.declarations().ids.get(source_name ~ "." ~ table_name) %}
    {% if not unique_id %}
        {% set file = "models/sources/" ~ source_name ~ "/" ~ table_name ~ ".yml" %}
        {% do dms_snapshots.fail(
            "E102",
            source_name ~ "." ~ table_name,
            "the table is not declared",
            "Nothing of it was run.",
            "Write " ~ file ~ " with config.meta.dms, or remove the stubs of this table."
        ) %}
    {% endif %}
    {% do return(graph.sources[unique_id]) %}
{% endmacro %}
