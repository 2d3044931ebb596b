{% macro read_version(declared, version) %}
    {% do return(read_versions(declared, [version])[version]) %}
{% endmacro %}
