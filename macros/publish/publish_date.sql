{% macro publish_date(relation, declared, plan) %}
    {% if not declared.history or plan.run_date == plan.current.run_date or plan.run_date in plan.unchanged_dates %}
        {% do return(none) %}
    {% endif %}
    {% set values, partitions = {"snapshot_date": plan.run_date}, plan.current.partitions %}
    {% if not declared.partition_date %}
        {% set is_new = dms_snapshots.add_new_partition(relation, values, partitions[0].location) %}
    {% else %}
        {% do dms_snapshots.complete_dates(
            relation, declared, plan.unchanged_dates + [plan.current.run_date], plan.run_date, partitions
        ) %}
        {% set is_new = not dms_snapshots.list_partitions(relation, values) %}
        {% if is_new %}
            {% do dms_snapshots.add_partitions(relation, dms_snapshots.shown_partitions(partitions, values)) %}
        {% endif %}
    {% endif %}
    {#- Or another command has published a version for it meanwhile. -#}
    {% if not is_new and dms_snapshots.newest_numbers([declared])[declared.label] == plan.newest %}
        {% do dms_snapshots.publish_partitions(relation, declared, values, partitions, none) %}
    {% endif %}
{% endmacro %}


{% macro complete_dates(relation, declared, recorded, until, partitions) %}
    {% set last, day = recorded | max, modules.datetime.timedelta(days=1) %}
    {% set first = modules.datetime.datetime.strptime(last, "%Y-%m-%d") + day %}
    {% set count = (modules.datetime.datetime.strptime(until, "%Y-%m-%d") - first).days %}
    {% for number in range(count) %}
        {% set values = {"snapshot_date": (first + number * day).strftime("%Y-%m-%d")} %}
        {% if dms_snapshots.list_partitions(relation, values) %}
            {% do dms_snapshots.publish_partitions(relation, declared, values, partitions, none) %}
        {% endif %}
    {% endfor %}
{% endmacro %}
