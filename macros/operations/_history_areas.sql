{% macro _history_areas(table, state, kept) %}
    {#-
        The histories of a table, for vacuum: what their partitions have, and the open rows from which
        `dbt snapshot` would go on if a version that can be had again were the current one.
    -#}
    {% set areas = [] %}
    {% for node in graph.nodes.values() if node.resource_type == "snapshot" and table.node.unique_id in node.depends_on.nodes %}
        {% set relation = api.Relation.create(schema=node.schema, identifier=node.alias, type="table") %}
        {% if load_relation(relation) is not none %}
            {% set root = table_location(relation) %}
            {% set needed, closed = [], [] %}
            {% for partition in list_partitions(relation) %}
                {% if partition[closed_on_column().name] == open_date() %}
                    {% do needed.append(partition_location(relation, partition)) %}
                {% else %}
                    {% do closed.append(closed_partition(relation, partition[closed_on_column().name])) %}
                    {% do needed.append(closed[-1].closed) %}
                {% endif %}
            {% endfor %}
            {% for location in _open_folders(state.entries, closed, kept) %}
                {% do needed.append(location) %}
            {% endfor %}
            {% do areas.append(_area(root, needed, 3)) %}
        {% endif %}
    {% endfor %}
    {% do return(areas) %}
{% endmacro %}
