{% macro new_table_location(relation) %}
    {% set root = config.get("location_root") %}
    {% if not root %}
        {% for row in run_query("describe schema " ~ relation.schema).rows %}
            {% if row[0] == "Location" %}{% set root = row[1] %}{% do return(root ~ "/" ~ relation.identifier) %}{% endif %}
        {% endfor %}
    {% endif %}
    {% do return(root ~ "/" ~ relation.identifier) %}
{% endmacro %}
