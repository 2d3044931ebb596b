{% macro tested_table(model) %}
    {% for node in graph.nodes.values()
        if node.resource_type == "model" and node.alias == model.identifier and node.schema == model.schema
        and node.config.materialized in dms_snapshots.dms_materializations() %}
        {% do return(node.config.meta.dms) %}
    {% endfor %}
    {% do dms_snapshots.fail(
        "E507",
        none,
        model ~ " is not a model made by dms_staging or dms_snapshot",
        "Nothing was tested.",
        "Take this data test away from it."
    ) %}
{% endmacro %}
