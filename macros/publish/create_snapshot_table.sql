{% macro create_snapshot_table(relation, declared, root) %}
    {% set partitions = layout_partitions(declared, dated=true) %}
    {% set properties = " tblproperties ('dms.root' = " ~ sql_string(root) ~ ")" %}
    {% do create_table(relation, declared.columns + partitions, partitions, root, comment_clause() ~ properties) %}
{% endmacro %}
