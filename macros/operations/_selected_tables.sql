{% macro _selected_nodes(select) %}
    {% if select is none or not select %}
        {% do dms_snapshots.fail(
            "E410",
            none,
            "select is missing",
            "Nothing was changed.",
            "Name the tables, for instance --args '{select: employees.employees}'. "
            ~ "Allowed are source.table, source.*, *, <table>_snapshot and tag:<tag>, also several of them."
        ) %}
    {% endif %}
    {% do dms_snapshots.check_variables() %}
    {% do dms_snapshots.check_logs() %}
    {% set found, named = [], [] %}
    {% for wanted in (select.split() if select is string else select) %}
        {% set matching = [] %}
        {% for node in graph.nodes.values()
            if node.resource_type == "model" and node.config.materialized == "dms_snapshot" %}
            {% set label = node.config.meta.dms.source_name ~ "." ~ node.config.meta.dms.table_name %}
            {% if wanted in [label, node.name, "*", node.config.meta.dms.source_name ~ ".*"]
                or wanted.startswith("tag:") and wanted[4:] in node.tags %}
                {% do matching.append(node) %}
                {% if wanted in [label, node.name] %}{% do named.append(node) %}{% endif %}
            {% endif %}
        {% endfor %}
        {% if not matching %}
            {% do dms_snapshots.fail(
                "E410",
                none,
                "select: " ~ wanted ~ " is no declared table",
                "Nothing was changed.",
                "Look with dbt ls --resource-type model --select snapshots; "
                ~ "allowed are source.table, source.*, *, <table>_snapshot and tag:<tag>."
            ) %}
        {% endif %}
        {% for node in matching if node not in found %}{% do found.append(node) %}{% endfor %}
    {% endfor %}
    {% set pairs = [] %}
    {% for node in found | sort(attribute="name") %}{% do pairs.append([node, node in named]) %}{% endfor %}
    {% do return(pairs) %}
{% endmacro %}


{% macro _selected_tables(select, with_inactive=false) %}
    {% set tables, left_out = [], [] %}
    {% for node, is_named in dms_snapshots._selected_nodes(select) %}
        {% set declared = dms_snapshots.declaration(
            node.config.meta.dms.source_name, node.config.meta.dms.table_name
        ) %}
        {% if declared.active or with_inactive %}
            {% do tables.append({
                "declared": declared,
                "relation": ref(node.name).incorporate(type="table"),
                "node": node,
            }) %}
        {% elif is_named %}
            {% do dms_snapshots.fail(
                "E411",
                declared.label,
                "active is false in its declaration, so it is left alone",
                "Nothing was changed.",
                "Set active: true to work on it, or leave it out of select."
            ) %}
        {% else %}
            {% do left_out.append(declared.label) %}
        {% endif %}
    {% endfor %}
    {% if not tables %}
        {% do dms_snapshots.fail(
            "E411",
            none,
            "select: none of these tables is active, so they are left alone: " ~ left_out | join(", "),
            "Nothing was changed.",
            "Set active: true in the declaration of one to work on it."
        ) %}
    {% endif %}
    {% if left_out %}{% do print("Not active, so left out: " ~ left_out | join(", ")) %}{% endif %}
    {% do return(tables) %}
{% endmacro %}
