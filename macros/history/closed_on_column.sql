{% macro closed_on_column() %}
    {% do return({
        "name": "dms_closed_on",
        "data_type": "date",
        "description":
            "The newest run date with changes that was published when the row was closed; "
            ~ dms_snapshots.open_date() ~ " while it is open.",
    }) %}
{% endmacro %}
