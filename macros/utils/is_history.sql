{% macro is_history(node) %}
    {% set is_whole = modules.re.match("^select \\* from {{ *ref\\([^)]*\\) *}}$", node.raw_code | trim) %}
    {% do return(is_whole and dms_snapshots.snapshot_models(node) | length == 1) %}
{% endmacro %}


{% macro snapshot_models(node) %}
    {% set found = [] %}
    {% for id in node.depends_on.nodes if graph.nodes.get(id, {}).get("config", {}).materialized == "dms_snapshot" %}
        {% do found.append(graph.nodes[id]) %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}
