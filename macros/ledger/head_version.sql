{% macro head_version(declared, newest) %}
    {#-
        The version whose state is the current one, given the number of the newest: that one itself,
        unless it has only added an earlier date.
    -#}
    {% if not newest %}
        {% do return(none) %}
    {% endif %}
    {% set version = read_version(declared, newest) %}
    {% do return(version if version.head_version == version.version else read_version(declared, version.head_version)) %}
{% endmacro %}
