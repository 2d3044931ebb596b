{% macro closed_dates(relation) %}
    {% set dates = dms_snapshots.list_partitions(relation) | map(attribute=dms_snapshots.closed_on_column().name) %}
    {% do return(dates | reject("equalto", dms_snapshots.open_date()) | sort(reverse=true)) %}
{% endmacro %}
