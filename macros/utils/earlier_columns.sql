{% macro earlier_columns(declared, relation) %}
    {#- The columns that a table still has under the earlier names of declared ones. -#}
    {% set names = renamed_columns(declared).values() | sum(start=[]) | map("lower") | list %}
    {% set found = [] %}
    {% for row in (run_query("describe " ~ relation).rows if names else []) %}
        {% if (row[0] or "") | lower in names and row[0] not in ["snapshot_date", "partition_date"] %}
            {% do found.append({"name": row[0] | lower, "data_type": row[1]}) %}
        {% endif %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}
