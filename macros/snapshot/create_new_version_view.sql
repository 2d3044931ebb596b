{% macro create_new_version_view(relation, declared, plan, version) %}
    {#- The written and not yet shown version, with the columns that its table will have. -#}
    {% set view = sql_name(relation.identifier ~ "__new") %}
    {% set rows = sql_name(relation.identifier ~ "__new_rows") %}
    {% if version.slices %}
        {% do run_query(
            "create or replace temporary view " ~ rows ~ " (" ~ column_definitions(declared.columns) ~ ") using parquet options (path "
            ~ sql_string(slices_path(plan.root, version.slices)) ~ ")"
        ) %}
    {% else %}
        {% set columns = {} %}
        {% for column in declared.columns %}{% do columns.update({column.name: column}) %}{% endfor %}
        {% do run_query("create or replace temporary view " ~ rows ~ " as " ~ no_rows_sql(columns)) %}
    {% endif %}
    {% do run_query(
        "create or replace temporary view " ~ view ~ " as select *"
        ~ (", date'" ~ plan.run_date ~ "' as snapshot_date" if declared.history else "")
        ~ (", " ~ slice_sql(declared) ~ " as partition_date" if declared.partition_date else "") ~ " from " ~ rows
    ) %}
    {% do return(view) %}
{% endmacro %}
