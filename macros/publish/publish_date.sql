{% macro publish_date(relation, declared, plan) %}
    {#-
        An unchanged date shows the current version: a metadata call per partition, no job and no version. A command
        that died may have shown an earlier version for it, and not recorded that.
    -#}
    {% if not declared.history or plan.run_date == plan.current.run_date or plan.run_date in plan.unchanged_dates %}
        {% do return(none) %}
    {% endif %}
    {% do publish_partitions(
        relation,
        declared,
        {"snapshot_date": plan.run_date},
        plan.current.partitions,
        none if declared.partition_date else []
    ) %}
{% endmacro %}
