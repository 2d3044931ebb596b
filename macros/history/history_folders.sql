{% macro history_dates(relation) %}
    {% set dates = dms_snapshots.list_partitions(relation) | map(attribute=dms_snapshots.closed_on_column().name) %}
    {% do return(dates | sort(reverse=true)) %}
{% endmacro %}


{% macro history_folders(relation, dates) %}
    {% set folders = [] %}
    {% for date in dates %}
        {% do folders.append(
            dms_snapshots.partition_location(relation, {dms_snapshots.closed_on_column().name: date})
        ) %}
    {% endfor %}
    {% do return(folders) %}
{% endmacro %}
