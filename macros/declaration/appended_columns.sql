{% macro appended_columns(declared) %}
    {% set staging = dms_snapshots.named_relation("stg_" ~ declared.source_name ~ "__" ~ declared.table_name) %}
    {% set appended = [] %}
    {% if load_relation(staging) is not none %}
        {#- A column that was renamed stays under its earlier name too. -#}
        {% set earlier = dms_snapshots.renamed_columns(declared).values() | sum(start=[]) %}
        {% set known = declared.columns | map(attribute="name") | list + earlier %}
        {% set lowered = dict.fromkeys(known | map("lower")) %}
        {% for column in dms_snapshots.described_table(staging).columns
            if not column.name.startswith("_dms_") and column.name | lower not in lowered %}
            {% do appended.append({"name": column.name, "data_type": column.data_type, "description": ""}) %}
        {% endfor %}
    {% endif %}
    {% do return(appended) %}
{% endmacro %}
