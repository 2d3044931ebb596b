{% macro create_history_table(relation, history) %}
    {% set columns = history.declared.columns + history.columns + [closed_on_column()] %}
    {% do create_table(relation, columns, [closed_on_column()], new_table_location(relation), comment_clause()) %}
{% endmacro %}
