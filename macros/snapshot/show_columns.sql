{% macro show_columns(relation, declared) %}
    {#-
        Columns that were declared, in both tables of the snapshot. Before any partition is added: Hive reads a
        partition with the columns that its table had then.
    -#}
    {% for shown in [current_relation(relation), relation] if load_relation(shown) is not none %}
        {% do sync_columns(shown, declared.columns, declared.label) %}
    {% endfor %}
{% endmacro %}
