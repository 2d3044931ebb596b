{% macro _history_table() %}
    {#- The declared table of a snapshot: the one that its relation is the snapshot model of. -#}
    {% set found = [] %}
    {% for node in graph.nodes.values() if node.unique_id in model.depends_on.nodes and node.config.materialized == "dms_snapshot" %}
        {% do found.append(node) %}
    {% endfor %}
    {#- A query would have to be asked of every moment; only the table itself has its changes at hand. -#}
    {% set is_whole = modules.re.match("^select \\* from {{ *ref\\([^)]*\\) *}}$", model.raw_code | trim) %}
    {% if found | length != 1 or not is_whole %}
        {% do exceptions.raise_compiler_error(
            "The snapshot " ~ model.name ~ " in " ~ model.original_file_path ~ " is refused:\n  its rows come from `"
            ~ model.raw_code | trim ~ "`; allowed is a snapshot in YAML with relation: ref('<table>_snapshot'), the snapshot "
            ~ "model of a declared table, because a history is made of that table's changes.\nNothing of it was run."
        ) %}
    {% endif %}
    {% do return([found[0].config.meta.dms.source_name, found[0].config.meta.dms.table_name]) %}
{% endmacro %}
