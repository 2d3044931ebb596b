{% macro index_node() %}
    {#-
        The model dms_files in the graph, the one place where a command keeps what it asked once for all tables:
        `logs` (describe_logs), `versions` (known_versions), `whole_versions`, `plans` (run_plan),
        `tests` and `unapplied` (read_passed_tests); and `made`, the versions that it has published.
    -#}
    {% do return(graph.nodes.get("model.dms_snapshots.dms_files", {})) %}
{% endmacro %}
