{% macro head_of(declared, version) %}
    {#- The version itself, unless it has only added an earlier date. -#}
    {% do return(version if version.head_version == version.version else read_version(declared, version.head_version)) %}
{% endmacro %}
