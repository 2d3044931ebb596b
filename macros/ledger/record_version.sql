{% macro record_version(declared, plan, version) %}
    {#- The version counts from here on: if the run dies now, the next one shows it first. -#}
    {% do commit_version(declared, version.version, version_sql(declared, plan, version), plan) %}
{% endmacro %}
