{% macro query_rows(sql) %}
    {% set result = run_query(
        "select to_json(struct(*), map('ignoreNullFields', 'false')) as row_json from (" ~ sql ~ ")"
    ) %}
    {% set rows = [] %}
    {% for row in result.rows %}
        {% do rows.append(fromjson(row["row_json"])) %}
    {% endfor %}
    {% do return(rows) %}
{% endmacro %}
