{% macro partition_sql(declared) %}
    {%- if not declared.partition_date -%}
        {%- do return("cast(null as date)") -%}
    {%- endif -%}
    {%- set day = "cast(" ~ dms_snapshots.column_names([declared.partition_date]) ~ " as date)" -%}
    {%- do return(
        day if declared.partition_granularity == "day"
        else "trunc(" ~ day ~ ", '" ~ declared.partition_granularity ~ "')"
    ) -%}
{% endmacro %}
