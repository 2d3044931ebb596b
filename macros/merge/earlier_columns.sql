{% macro earlier_columns(declared, relation) %}
    {% set names = dms_snapshots.renamed_columns(declared).values() | sum(start=[]) | map("lower") | list %}
    {% set found = [] %}
    {% for column in (dms_snapshots.described_table(relation).columns if names else []) %}
        {% if column.name | lower in names and column.name not in ["snapshot_date", "partition_date"] %}
            {% do found.append({"name": column.name | lower, "data_type": column.data_type}) %}
        {% endif %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}
