{% macro _renamed_values_sql(declared, staging) %}
    {#- All columns of the staged changes; what was staged before a column was renamed stands under its earlier name. -#}
    {% set renamed = renamed_columns(declared) %}
    {% if not renamed %}{% do return("changes.*") %}{% endif %}
    {% set there = run_query("describe " ~ staging).rows | map(attribute=0) | map("lower") | list %}
    {% set values = [] %}
    {% for column in declared.columns if column.name in renamed %}
        {% set found = [] %}
        {% for name in renamed[column.name] if name | lower in there %}
            {% do found.append(", cast(changes." ~ sql_name(name) ~ " as " ~ column.data_type ~ ")") %}
        {% endfor %}
        {% do values.append("coalesce(changes." ~ sql_name(column.name) ~ found | join ~ ") as " ~ sql_name(column.name)) %}
    {% endfor %}
    {% do return("changes.* except (" ~ column_names(renamed.keys()) ~ "), " ~ values | join(", ")) %}
{% endmacro %}
