{#- For histories (`dbt snapshot`): dbt takes this only from the project itself. Other snapshots stay dbt-spark's. -#}
{% materialization snapshot, adapter='spark' %}
    {% do return(dms_snapshots.materialization_snapshot_spark()) %}
{% endmaterialization %}
