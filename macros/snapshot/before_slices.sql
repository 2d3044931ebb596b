{% macro before_slices(declared, plan) %}
    {#- The slices that the changes fall on: the base's, or in a build the folders of the staged full load. -#}
    {% if plan.action == "merge" %}
        {% do return(plan.base.slices) %}
    {% endif %}
    {% if plan.loads_repeat or not plan.staged.load_rows %}
        {% do return([]) %}
    {% endif %}
    {% set staging = ref("stg_" ~ declared.source_name ~ "__" ~ declared.table_name) %}
    {% set folders = [] %}
    {% for partition in list_partitions(staging) if partition._dms_run_date == plan.run_date %}
        {% do folders.append({"slice": none, "location": partition_location(staging, partition)}) %}
    {% endfor %}
    {% do return(folders) %}
{% endmacro %}
