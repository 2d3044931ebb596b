{% macro drop_unpublished_staging(relation, declared, base, keep) %}
    {#- What earlier attempts staged and never published is staged again by this run. -#}
    {% for partition in list_partitions(relation) %}
        {% set date = partition._dms_run_date %}
        {% if date != keep and (not base or date > base.run_date) %}
            {% do run_query("alter table " ~ relation ~ " drop if exists partition (" ~ partition_spec({"_dms_run_date": date}) ~ ")") %}
            {% do run_query("alter table " ~ ref("dms_staged_files") ~ " drop if exists partition (" ~ partition_spec(table_partition(declared, date)) ~ ")") %}
        {% endif %}
    {% endfor %}
{% endmacro %}
