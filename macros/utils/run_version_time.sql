{% macro run_version_time(version) %}
    {#- The start of a run, from its name: what run_version_sql makes of it is the name again. -#}
    {%- do return("timestamp'" ~ modules.datetime.datetime.strptime(version, "%Y%m%dT%H%M%S%fZ").strftime("%Y-%m-%d %H:%M:%S.%f") ~ "'") -%}
{% endmacro %}
