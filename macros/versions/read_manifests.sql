{% macro read_manifests(wanted, is_whole=false) %}
    {% set found, asked = {}, {} %}
    {% for declared, version in wanted %}
        {% set of_table = asked.setdefault(declared.label, {"versions": []}) %}
        {% if version not in of_table.versions %}{% do of_table.versions.append(version) %}{% endif %}
        {% if not is_whole %}{% do of_table.update({"fields": ["partitions", "load_files"]}) %}{% endif %}
    {% endfor %}
    {% for label, said in (dms_snapshots.read_versions(asked) if asked else {}).items() %}
        {% if said.error %}{% do dms_snapshots.fail_with([said.error]) %}{% endif %}
        {% do found.update({label: said.manifests}) %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}


{% macro whole_manifests(declared, versions) %}
    {% set wanted = [] %}
    {% for version in versions %}{% do wanted.append([declared, version]) %}{% endfor %}
    {% do return(dms_snapshots.read_manifests(wanted, is_whole=true).get(declared.label, {})) %}
{% endmacro %}


{% macro whole_manifest(declared, version) %}
    {% do return(dms_snapshots.whole_manifests(declared, [version])[version]) %}
{% endmacro %}
