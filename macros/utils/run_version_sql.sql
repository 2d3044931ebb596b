{% macro run_version_sql(started_at) %}
    {#- The name of a run, as run_version gives it, from its start. -#}
    {%- do return("date_format(" ~ started_at ~ ", 'yyyyMMdd') || 'T' || date_format(" ~ started_at ~ ", 'HHmmssSSSSSS') || 'Z'") -%}
{% endmacro %}
