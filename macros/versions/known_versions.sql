{% macro known_versions(declared) %}
    {% set known = dms_snapshots.index_node().setdefault("versions", {}) %}
    {% if declared.label not in known %}{% do known.update(dms_snapshots.read_known_versions([declared])) %}{% endif %}
    {% set versions = known[declared.label] %}
    {% if versions.error %}{% do dms_snapshots.fail_with([versions.error]) %}{% endif %}
    {% do return(versions) %}
{% endmacro %}


{% macro read_known_versions(tables, probes=false) %}
    {% set wanted, known = {}, {} %}
    {% for declared in tables %}
        {% do wanted.update({declared.label: {
            "run_date": dms_snapshots.run_date(), "declared_as": declared.on_schema_change == "append_new_columns"
        }}) %}
    {% endfor %}
    {% for label, said in (dms_snapshots.read_versions(wanted, probes=probes) if wanted else {}).items() %}
        {% do known.update({label: {"error": said.error} if said.error else dict(said.known, next=said.next)}) %}
    {% endfor %}
    {% do return(known) %}
{% endmacro %}


{% macro newest_numbers(tables) %}
    {% set newest, wanted = {}, {} %}
    {% for declared in tables %}{% do wanted.update({declared.label: {}}) %}{% endfor %}
    {% for label, said in dms_snapshots.read_versions(wanted or none).items() %}
        {% if said.error and tables %}{% do dms_snapshots.fail_with([said.error]) %}{% endif %}
        {% if said.newest %}{% do newest.update({label: said.newest}) %}{% endif %}
    {% endfor %}
    {% do return(newest) %}
{% endmacro %}
