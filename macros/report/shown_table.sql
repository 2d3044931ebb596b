{% macro shown_table(name) %}
    {% for node in graph.nodes.values() if node.name == name and node.config.materialized == "dms_snapshot" %}
        {% do return(dms_snapshots.named_relation(name)) %}
    {% endfor %}
    {% do return(dms_snapshots.named_relation("snapshot_versions").incorporate(path={"identifier": name})) %}
{% endmacro %}
