{% macro derive_tables(again=false, shown=[]) %}
    {% set relations, folders, known = {}, {}, {} %}
    {% for name in ["snapshot_dates", "snapshot_versions"] %}
        {% do relations.update({name: dms_snapshots.named_relation(name)}) %}
        {% do folders.update({name: dms_snapshots.log_location(name)}) %}
        {% do known.update({
            name: dms_snapshots.list_partitions(relations[name]) | map(attribute="since_command") | map("int") | list
        }) %}
    {% endfor %}
    {% set made = dms_snapshots.ask_versions("derive", {
        "run": dms_snapshots.run_name(), "tables": folders, "partitions": known, "shown": shown, "again": again
    })[""] %}
    {% set statements = [] %}
    {% for one in made.partitions %}
        {% for name, location in one.locations.items() %}
            {% set values = {"since_command": one.since} %}
            {% do statements.append(
                dms_snapshots.move_partition_sql(relations[name], values, location) if one.since in known[name]
                else dms_snapshots.set_partition_sql(relations[name], values, location)
            ) %}
        {% endfor %}
    {% endfor %}
    {% do dms_snapshots.run_statements(statements) %}
    {#- What another command has shown meanwhile is hidden by what this one has. -#}
    {% if dms_snapshots.ask_versions("recorded", {})[""].number != made.through %}
        {% do dms_snapshots.derive_tables(shown=shown + made.partitions | map(attribute="since") | list) %}
    {% endif %}
{% endmacro %}


{% macro derived_areas() %}
    {% set areas = {} %}
    {% for name in ["snapshot_versions", "snapshot_dates"] %}
        {% set relation, of_table = dms_snapshots.named_relation(name), [] %}
        {% for partition in dms_snapshots.list_partitions(relation) %}
            {% set shown = dms_snapshots.partition_location(relation, partition) %}
            {% do of_table.append({"root": shown.rsplit("/", 1)[0], "needed": [shown]}) %}
        {% endfor %}
        {% do areas.update({name: of_table}) %}
    {% endfor %}
    {% do return(areas) %}
{% endmacro %}
