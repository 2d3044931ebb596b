{% macro index_node() %}
    {#-
        The model dms_files in the graph, the one place where a command keeps what it asked once for all tables:
        `logs` (describe_logs), `versions` (known_versions), `whole_versions`, `plans` (run_plan),
        `tests` and `unapplied` (read_passed_tests); and `made`, the versions that it has published.
    -#}
    {% set own = graph.nodes.get("model." ~ project_name ~ ".dms_files") %}
    {% if own %}{% do return(own) %}{% endif %}
    {% for node in graph.nodes.values() if node.resource_type == "model" and node.name == "dms_files" %}
        {% do return(node) %}
    {% endfor %}
    {% do return({}) %}
{% endmacro %}
