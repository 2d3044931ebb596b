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
        {% set shards = [] %}
        {% for one in declared.shards %}{% do shards.append([one.name, one.path]) %}{% endfor %}
        {% do wanted.update({declared.label: {
            "run_date": dms_snapshots.run_date(),
            "full_refresh": dms_snapshots.is_full_refresh(declared.table_name),
            "shards": shards,
            "declared_as": declared.on_schema_change == "append_new_columns",
        }}) %}
    {% endfor %}
    {% for label, said in (dms_snapshots.read_versions(wanted, probes=probes) if wanted else {}).items() %}
        {% set versions = {"error": said.error} if said.error else dict(
            said.known, next=said.next, index=said.index
        ) %}
        {#- A manifest is sent once, with its name in the place of another. -#}
        {% for name in ["current", "base"] if versions[name] is string %}
            {% do versions.update({name: versions[versions[name]]}) %}
        {% endfor %}
        {% do known.update({label: versions}) %}
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
