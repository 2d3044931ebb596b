{% macro publish_date(relation, declared, plan) %}
    {#- An unchanged date shows the current version: a metadata call per partition, no job and no version. -#}
    {% if not declared.history or plan.run_date == plan.current.run_date or plan.run_date in plan.unchanged_dates %}
        {% do return(none) %}
    {% endif %}
    {% set added = [] %}
    {% for partition in plan.current.partitions %}
        {% set values = {"snapshot_date": plan.run_date} %}
        {% if declared.partition_date %}{% do values.update({"partition_date": partition.partition}) %}{% endif %}
        {% do added.append({"values": values, "location": partition.location}) %}
    {% endfor %}
    {% do add_partitions(relation, added) %}
{% endmacro %}
