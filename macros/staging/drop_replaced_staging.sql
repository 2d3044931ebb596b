{% macro drop_replaced_staging(declared, run_date, test="ne") %}
    {#- A state that was built from nothing has staged all its files for its own date. -#}
    {% set staging = ref("stg_" ~ declared.source_name ~ "__" ~ declared.table_name) %}
    {% set dates = list_partitions(staging) | map(attribute="_dms_run_date") | select(test, run_date) | list %}
    {% do drop_unpublished_staging(staging, declared, none, dates) %}
{% endmacro %}
