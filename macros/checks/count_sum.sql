{% macro count_sum(counts, name) %}
    {#- The sum of a count over rows of which some do not have it. -#}
    {% do return(counts | map(attribute=name, default=0) | sum) %}
{% endmacro %}
