{% macro run_started() %}
    {%- do return("timestamp'" ~ run_started_at.strftime("%Y-%m-%d %H:%M:%S.%f") ~ "'") -%}
{% endmacro %}
