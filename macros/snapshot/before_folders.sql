{% macro before_folders(declared, plan) %}
    {#- The folders of the rows that the changes fall on: the base's, or in a build those of the staged full load. -#}
    {% if plan.action == "merge" %}
        {% do return(plan.base.slices | map(attribute="location") | list) %}
    {% endif %}
    {% if plan.loads_repeat or not plan.staged.load_rows %}
        {% do return([]) %}
    {% endif %}
    {% set staging = ref("stg_" ~ declared.source_name ~ "__" ~ declared.table_name) %}
    {% set folders = [] %}
    {% for partition in list_partitions(staging) if partition._dms_run_date == plan.run_date %}
        {% do folders.append(partition_location(staging, partition)) %}
    {% endfor %}
    {% do return(folders) %}
{% endmacro %}
