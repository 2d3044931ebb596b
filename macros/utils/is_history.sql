{% macro is_history(node) %}
    {#- Whether a snapshot of dbt is the history of a declared table: of all of it, in the words of YAML. -#}
    {#- A query would have to be asked of every moment; only the table itself has its changes at hand. -#}
    {% set is_whole = modules.re.match("^select \\* from {{ *ref\\([^)]*\\) *}}$", node.raw_code | trim) %}
    {% do return(is_whole and dms_snapshots.snapshot_models(node) | length == 1) %}
{% endmacro %}


{% macro snapshot_models(node) %}
    {#- The snapshot models of declared tables that a node asks for. -#}
    {% set found = [] %}
    {% for id in node.depends_on.nodes if graph.nodes.get(id, {}).get("config", {}).materialized == "dms_snapshot" %}
        {% do found.append(graph.nodes[id]) %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}
