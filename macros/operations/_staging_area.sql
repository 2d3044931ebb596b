{% macro _staging_area(declared) %}
    {#- Staging for vacuum: all changes that readers can query stay, as replay and histories begin from any of them. -#}
    {% set staging = ref("stg_" ~ declared.source_name ~ "__" ~ declared.table_name) %}
    {% set root = table_location(staging) %}
    {% set needed = [] %}
    {% for partition in list_partitions(staging) %}
        {% do needed.append(_partition_folder(partition_location(staging, partition), root, 1)) %}
    {% endfor %}
    {% do return({"root": root, "needed": needed}) %}
{% endmacro %}
