{% macro check_flags() %}
    {% set flags = ["empty", "defer"] | select("in", invocation_args_dict) | list %}
    {% for flag in flags if invocation_args_dict[flag] and execute %}
        {% for id in selected_resources if id in graph.nodes and dms_snapshots.is_ours(graph.nodes[id]) %}
            {% do dms_snapshots.fail(
                "E105",
                none,
                "--" ~ flag
                ~ ": not with the tables of DMS, whose models read the version history of their own schema ("
                ~ graph.nodes[id].name ~ ")",
                "Nothing was run.",
                "Leave it out, or select other models. To try things, run into a schema of your own (DMS_SCHEMA)."
            ) %}
        {% endfor %}
    {% endfor %}
{% endmacro %}
