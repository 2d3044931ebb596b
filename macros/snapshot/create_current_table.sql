{% macro create_current_table(relation, declared, root) %}
    {#- The table on the newest state; it points to files of the snapshot table. -#}
    {% if load_relation(relation) is none %}
        {% set partitions = layout_partitions(declared, dated=false) %}
        {% do run_query(
            "create table if not exists " ~ relation ~ " (" ~ column_definitions(declared.columns + partitions) ~ ") using parquet "
            ~ ("partitioned by (" ~ column_names(partitions) ~ ") " if partitions else "")
            ~ "location " ~ sql_string(root ~ "/current")
        ) %}
    {% endif %}
    {% do sync_columns(relation, declared.columns, declared.label) %}
{% endmacro %}
