{% macro may_have_newer_files(base) %}
    {#- Whether any partition of the index meets newer_files_sql. This command has listed them all if it has added none. -#}
    {% set partitions = log_node("dms_files").get("partitions") %}
    {% if partitions is none or not base or not base.indexed_from_run %}{% do return(true) %}{% endif %}
    {% for partition in partitions if partition.version > base.indexed_from_run or partition.run_date > base.run_date %}
        {% do return(true) %}
    {% endfor %}
    {% do return(false) %}
{% endmacro %}
