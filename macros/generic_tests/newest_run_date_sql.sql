{% macro newest_run_date_sql(model) %}
    {%- set current = dms_snapshots.tested_version(model) if execute else none -%}
    {%- do return("date'" ~ current.run_date ~ "'" if current else "cast(null as date)") -%}
{% endmacro %}
