{% macro layout_partitions(declared, dated) %}
    {% set partitions = [] %}
    {% if dated and declared.history %}
        {% do partitions.append({
            "name": "snapshot_date", "data_type": "date", "description": "The run date whose end this state is of.",
        }) %}
    {% endif %}
    {% if declared.partition_date %}
        {% do partitions.append({
            "name": "partition_date",
            "data_type": "date",
            "description":
                "First day of the " ~ declared.partition_granularity ~ " of " ~ declared.partition_date ~ ".",
        }) %}
    {% endif %}
    {% do return(partitions) %}
{% endmacro %}
