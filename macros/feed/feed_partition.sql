{% macro feed_partition() %}
    {% do return({"name": "run_date", "data_type": "date", "description": "The run date that was published with the change."}) %}
{% endmacro %}
