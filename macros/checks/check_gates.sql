{% macro check_gates(relation, declared, plan, version) %}
    {#- The data tests of the model that say `meta: {gate: true}`, on the new version, before anyone sees it. -#}
    {% set gates = gates_of(relation) %}
    {% if not (gates or declared.gates) or passes_once(declared, "allow_gates") %}
        {% do return(none) %}
    {% endif %}
    {% set made = gates | map(attribute="test_metadata.name") | list %}
    {% set names = [] %}
    {% for gate in declared.gates %}{% do names.append((gate | first).split(".") | last) %}{% endfor %}
    {% for name in names | unique if made.count(name) < names.count(name) %}
        {% do fail(
            declared.label,
            "the declaration has the gate " ~ name ~ ", and " ~ relation.identifier ~ " has no such data test with meta: {gate: true}"
            ~ " (or fewer than are declared)",
            none,
            "Make it: python -m pyspark_dms scaffold. Then run the same command again."
        ) %}
    {% endfor %}
    {% set view = create_new_version_view(relation, declared, version) %}
    {% set failed = [] %}
    {% for gate in gates %}
        {% set sql = gate_sql(declared, gate, view) %}
        {% set count = query_rows("select count(*) as row_count from (" ~ sql ~ ")")[0].row_count %}
        {% if count %}
            {% do failed.append(gate.name ~ ": " ~ count ~ " rows, for instance " ~ failing_rows(declared, gate, view, sql)) %}
        {% endif %}
    {% endfor %}
    {% if failed %}
        {% do fail(
            declared.label,
            "the new version fails " ~ failed | length ~ " of " ~ gates | length ~ " gates:\n  " ~ failed | join("\n  ") ~ "\n",
            none,
            "Correct the source and run the same command again, or let it pass once: " ~ pass_command(declared, plan, "allow_gates")
        ) %}
    {% endif %}
{% endmacro %}
