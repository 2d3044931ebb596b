{% macro create_snapshot_table(relation, declared, root) %}
    {% set partitions = dms_snapshots.layout_partitions(declared, dated=true) %}
    {% set properties = " tblproperties ('dms.root' = " ~ dms_snapshots.sql_string(root) ~ ")" %}
    {% do dms_snapshots.create_table(
        relation, declared.columns + partitions, partitions, root, comment_clause() ~ properties
    ) %}
{% endmacro %}
