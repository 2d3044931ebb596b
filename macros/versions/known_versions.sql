{% macro known_versions(declared) %}
    {% set known = dms_snapshots.index_node().setdefault("versions", {}) %}
    {% if declared.label not in known %}{% do known.update(dms_snapshots.read_known_versions([declared])) %}{% endif %}
    {% do return(known[declared.label]) %}
{% endmacro %}


{% macro read_known_versions(tables) %}
    {% set known, wanted = {}, [] %}
    {% set numbers = dms_snapshots.newest_numbers(tables) %}
    {% for declared in tables %}
        {% do known.update({declared.label: {"newest": none, "current": none, "base": none}}) %}
        {% if declared.label in numbers %}{% do wanted.append([declared, numbers[declared.label]]) %}{% endif %}
    {% endfor %}
    {% set found = dms_snapshots.read_manifests(wanted) %}
    {#- First those of which the newest version only adds an earlier date, then those that run a date again. -#}
    {% for step in ["newest", "current", "base"] %}
        {% set missing = [] %}
        {% for declared, newest in wanted %}
            {% set manifests, versions = found[declared.label], known[declared.label] %}
            {% if step == "newest" %}
                {% set number = newest %}
            {% elif step == "current" %}
                {% set number = versions.newest.current_version %}
            {% else %}
                {% set number = versions.current.base_version if versions.current.run_date == dms_snapshots.run_date()
                    else none %}
            {% endif %}
            {% if number in manifests %}
                {% do versions.update({step: manifests[number]}) %}
            {% elif number is not none %}
                {% do missing.append([declared, number]) %}
            {% endif %}
        {% endfor %}
        {% set more = dms_snapshots.read_manifests(missing) %}
        {% for declared, number in missing %}
            {% do found[declared.label].update(more[declared.label]) %}
            {% do known[declared.label].update({
                step: dms_snapshots.manifest_of_version(declared, more[declared.label], number)
            }) %}
        {% endfor %}
    {% endfor %}
    {% do return(known) %}
{% endmacro %}


{% macro newest_numbers(tables) %}
    {% set newest = {} %}
    {% if not dms_snapshots.log_exists("snapshot_versions") %}{% do return(newest) %}{% endif %}
    {% set fixed = dms_snapshots.table_partition(tables[0]) if tables | length == 1 else {} %}
    {% for partition in dms_snapshots.list_partitions(dms_snapshots.named_relation("snapshot_versions"), fixed) %}
        {% set label = partition.source_name ~ "." ~ partition.table_name %}
        {% do newest.update({label: [newest.get(label, 0), partition.version | int] | max}) %}
    {% endfor %}
    {% do return(newest) %}
{% endmacro %}
