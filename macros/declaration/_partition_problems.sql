{% macro _partition_problems(declared, lowered) %}
    {#- The business date must be a declared date, and its partition needs a name of its own. -#}
    {% set problems = [] %}
    {% set column = declared.columns | selectattr("name", "equalto", declared.partition_date) | first %}
    {% if not column %}
        {% do problems.append("partition_date is " ~ declared.partition_date ~ ", which is no declared column") %}
    {% elif column.data_type | default("", true) | lower not in ["date", "timestamp", "timestamp_ntz"] %}
        {% do problems.append(
            "partition_date is " ~ column.name ~ " of data_type " ~ column.data_type ~ "; allowed is a column of date, "
            ~ "timestamp or timestamp_ntz"
        ) %}
    {% endif %}
    {% if "partition_date" in lowered %}
        {% do problems.append("column partition_date has the name of the partition that the key partition_date adds") %}
    {% endif %}
    {% do return(problems) %}
{% endmacro %}
