{% macro closed_on_column() %}
    {% do return({
        "name": "dms_closed_on",
        "data_type": "date",
        "while_open": "9999-12-31",
        "description":
            "The newest run date with changes that was published when the row was closed; "
            ~ "9999-12-31 while it is open.",
    }) %}
{% endmacro %}
