{% macro create_current_table(relation, declared, root) %}
    {#- The table on the newest state; it points to files of the snapshot table. -#}
    {% if load_relation(relation) is none %}
        {% set partitions = layout_partitions(declared, dated=false) %}
        {% do create_table(relation, declared.columns + partitions, partitions, root ~ "/current") %}
    {% endif %}
    {% do sync_columns(relation, declared.columns, declared.label) %}
{% endmacro %}
