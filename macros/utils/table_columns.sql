{% macro table_columns(relation) %}
    {#- Behind them come those of the partitions once more, under headings that begin with #, as a column may. -#}
    {% set columns = [] %}
    {% for row in run_query("describe " ~ relation).rows %}
        {% if row[0] == "# Partition Information" %}{% break %}{% endif %}
        {% if row[0] %}{% do columns.append({"name": row[0], "data_type": row[1], "comment": row[2]}) %}{% endif %}
    {% endfor %}
    {% do return(columns) %}
{% endmacro %}
