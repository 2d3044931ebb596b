{% macro closed_dates(relation) %}
    {#- The dates of a history's partitions of closed rows, the newest first. -#}
    {% set dates = list_partitions(relation) | map(attribute=closed_on_column().name) %}
    {% do return(dates | reject("equalto", open_date()) | sort(reverse=true)) %}
{% endmacro %}
