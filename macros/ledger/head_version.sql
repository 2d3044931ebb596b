{% macro head_version(declared, newest) %}
    {#- The version whose state is the current one, given the number of the newest. -#}
    {% do return(head_of(declared, read_version(declared, newest)) if newest else none) %}
{% endmacro %}
