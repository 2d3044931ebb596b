{% macro run_version() %}
    {#- Sorts by time, and is new for every run: nothing is ever written to a place twice. -#}
    {%- do return(run_started_at.strftime("%Y%m%dT%H%M%S%fZ")) -%}
{% endmacro %}
