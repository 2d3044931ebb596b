{#- dbt takes a materialization of its own name from the project only; what is no history is dbt-spark's. -#}
{% materialization snapshot, adapter='spark' %}
    {% do return(dms_snapshots.materialization_snapshot_spark()) %}
{% endmaterialization %}
