{% macro feed_columns(declared) %}
    {% set columns = [
        {"name": "kind", "data_type": "string", "description": "insert, update or delete."},
        {
            "name": "version",
            "data_type": "int",
            "description": "The version that brought the change, as in snapshot_versions.",
        },
    ] %}
    {% do columns.extend(declared.columns | selectattr("name", "in", declared.primary_keys)) %}
    {% for column in declared.columns if column.name not in declared.primary_keys %}
        {% for suffix, time in [("_before", "Before the change."), ("_after", "After the change.")] %}
            {% do columns.append({
                "name": column.name ~ suffix,
                "data_type": column.data_type,
                "description": ((column.description or "") ~ " " ~ time).lstrip(),
            }) %}
        {% endfor %}
    {% endfor %}
    {% do return(columns) %}
{% endmacro %}


{% macro feed_partition() %}
    {% do return({
        "name": "run_date",
        "data_type": "date",
        "description": "The run date that was published with the change.",
    }) %}
{% endmacro %}
