{% macro described_location(described) %}
    {#- The columns come first, of which one may have the same name. -#}
    {% set details = [] %}
    {% for row in run_query("describe extended " ~ described).rows %}
        {% if details and row[0] == "Location" %}{% do return(row[1]) %}{% endif %}
        {% if row[0] in ["# Detailed Table Information", "# Detailed Partition Information"] %}{% do details.append(row) %}{% endif %}
    {% endfor %}
    {% do return(none) %}
{% endmacro %}
