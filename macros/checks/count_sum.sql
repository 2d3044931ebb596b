{% macro count_sum(counts, name) %}
    {% do return(counts | map(attribute=name, default=0) | sum) %}
{% endmacro %}
