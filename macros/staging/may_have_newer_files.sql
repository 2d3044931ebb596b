{% macro may_have_newer_files(base) %}
    {#- Whether any partition of the index meets newer_files_sql. This command has listed them all, if it has run the index. -#}
    {% set newest = log_node("dms_files").get("newest") %}
    {% if not newest or not base or not base.indexed_from_run %}{% do return(true) %}{% endif %}
    {% do return(newest.version > base.indexed_from_run or newest.run_date > base.run_date) %}
{% endmacro %}
