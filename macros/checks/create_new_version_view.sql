{% macro create_new_version_view(relation, declared, version) %}
    {#- The written and not yet published version, with the columns that its table will have. -#}
    {% set view = sql_name(relation.identifier ~ "__new") %}
    {% set rows = relation.identifier ~ "__new_rows" %}
    {% do create_rows_view(rows, declared, version.root, version.partitions) %}
    {% do run_query(
        "create or replace temporary view " ~ view ~ " as select *"
        ~ (", date'" ~ version.run_date ~ "' as snapshot_date" if declared.history else "")
        ~ (", " ~ partition_sql(declared) ~ " as partition_date" if declared.partition_date else "") ~ " from " ~ sql_name(rows)
    ) %}
    {% do return(view) %}
{% endmacro %}
