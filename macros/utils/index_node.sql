{% macro index_node() %}
    {#-
        The model dms_files in the graph, the one place where a command keeps what it asked once for all tables:
        `logs` (describe_logs), `versions` (known_versions), `whole_versions`, `plans` (run_plan),
        `tests` and `unapplied` (read_passed_tests). And what the end of a run asks: `made` and `finished`, the versions
        that it has committed, or published for a command that died; `hidden`, the tables of which it has looked
        whether readers see its date.
    -#}
    {% do return(graph.nodes.get("model.dms_snapshots.dms_files", {})) %}
{% endmacro %}
