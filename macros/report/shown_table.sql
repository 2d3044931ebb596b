{% macro shown_table(name) %}
    {#- The table of a snapshot model; of one that is no longer declared, beside the metadata tables. -#}
    {% for node in graph.nodes.values() if node.name == name and node.config.materialized == "dms_snapshot" %}
        {% do return(dms_snapshots.named_relation(name)) %}
    {% endfor %}
    {% do return(dms_snapshots.named_relation("snapshot_versions").incorporate(path={"identifier": name})) %}
{% endmacro %}
