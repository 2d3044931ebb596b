{% macro described_table(described) %}
    {% set columns, details = [], {} %}
    {% for row in run_query("describe extended " ~ described).rows %}
        {% if not row[1] and row[0] in ["# Detailed Table Information", "# Detailed Partition Information"] %}
            {% do details.update({"location": none}) %}
        {% elif not row[1] and row[0] == "# Partition Information" %}
            {% do details.update({"has_all_columns": true}) %}
        {% elif "location" in details %}
            {% if row[0] == "Location" and not details.location %}
                {% do details.update({"location": row[1]}) %}
            {% endif %}
        {% elif row[0] and not details.has_all_columns %}
            {% do columns.append({"name": row[0], "data_type": row[1], "comment": row[2]}) %}
        {% endif %}
    {% endfor %}
    {% do return({"columns": columns, "location": details.location}) %}
{% endmacro %}
