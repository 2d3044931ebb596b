{% macro create_staging_table(relation, declared) %}
    {% do create_table(
        relation,
        declared.columns + staging_columns(),
        ["_dms_run_date"],
        new_table_location(relation),
        comment_clause()
    ) %}
{% endmacro %}
