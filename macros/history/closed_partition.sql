{% macro closed_partition(relation, date) %}
    {% set location = dms_snapshots.partition_location(relation, {dms_snapshots.closed_on_column().name: date}) %}
    {% set parts = location.split("/") %}
    {% do return({
        "run_date": date,
        "version": parts[-3] | int,
        "closed": location,
        "open": parts[:-1] | join("/") ~ "/open",
    }) %}
{% endmacro %}
