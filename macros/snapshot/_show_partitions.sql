{% macro _show_partitions(relation, fixed, slices, shown) %}
    {#- First what is new, then what moves, last what is gone: so that no row is missing for long. -#}
    {% set there = {} %}
    {% if shown is none %}
        {% for partition in list_partitions(relation, fixed) %}{% do there.update({partition.partition_date: none}) %}{% endfor %}
    {% else %}
        {% for slice in shown %}{% do there.update({slice.slice: slice.location}) %}{% endfor %}
    {% endif %}
    {% set added = [] %}
    {% set moved = [] %}
    {% for slice in slices %}
        {% set partition = {"values": dict(fixed, partition_date=slice.slice), "location": slice.location} %}
        {% if slice.slice not in there %}
            {% do added.append(partition) %}
        {% elif there[slice.slice] != slice.location %}
            {% do moved.append(partition) %}
        {% endif %}
        {% do there.pop(slice.slice, none) %}
    {% endfor %}
    {% do add_partitions(relation, added) %}
    {% for partition in moved %}
        {% do move_partition(relation, partition["values"], partition.location) %}
    {% endfor %}
    {% set gone = [] %}
    {% for slice in there %}{% do gone.append(dict(fixed, partition_date=slice)) %}{% endfor %}
    {% do drop_partitions(relation, gone) %}
{% endmacro %}
