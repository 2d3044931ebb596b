{% macro publish_partitions(relation, declared, fixed, partitions, shown) %}
    {% if declared.partition_date %}
        {% do dms_snapshots._publish_dated_partitions(relation, fixed, partitions, shown) %}
    {% elif not fixed %}
        {% do run_query(
            "alter table " ~ relation ~ " set location " ~ dms_snapshots.sql_string(partitions[0].location)
        ) %}
    {% else %}
        {% do dms_snapshots.set_partition(relation, fixed, partitions[0].location) %}
    {% endif %}
{% endmacro %}


{% macro _publish_dated_partitions(relation, fixed, partitions, shown) %}
    {% set there = {} %}
    {% if shown is none %}
        {% for partition in dms_snapshots.list_partitions(relation, fixed) %}
            {% do there.update({partition.partition_date: none}) %}
        {% endfor %}
    {% else %}
        {% for partition in shown %}{% do there.update({partition.partition: partition.location}) %}{% endfor %}
    {% endif %}
    {% set added, moved = [], [] %}
    {% for one in dms_snapshots.shown_partitions(partitions, fixed) %}
        {% set name = one["values"].partition_date %}
        {% if name not in there %}
            {% do added.append(one) %}
        {% elif there[name] != one.location %}
            {% do moved.append(dms_snapshots.move_partition_sql(relation, one["values"], one.location)) %}
        {% endif %}
        {% do there.pop(name, none) %}
    {% endfor %}
    {% do dms_snapshots.add_partitions(relation, added) %}
    {% do dms_snapshots.run_statements(moved) %}
    {% set gone = [] %}
    {% for name in there %}{% do gone.append(dict(fixed, partition_date=name)) %}{% endfor %}
    {% do dms_snapshots.drop_partitions(relation, gone) %}
{% endmacro %}


{% macro shown_partitions(partitions, fixed) %}
    {% set shown = [] %}
    {% for one in partitions %}
        {% set values = fixed if one.partition is none else dict(fixed, partition_date=one.partition) %}
        {% do shown.append({"values": values, "location": one.location}) %}
    {% endfor %}
    {% do return(shown) %}
{% endmacro %}
