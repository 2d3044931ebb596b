{% macro copy_state(relation, declared, plan, changed_keys, location) %}
    {#- Writes the state after, by copying in columns; returns its one slice and what was there. -#}
    {% set view = sql_name(relation.identifier ~ "__copy") %}
    {% set replaced = (location ~ "-replaced") if keeps_replaced(declared, plan) else none %}
    {% call statement("view") %}
        create or replace temporary view {{ view }} (
            rows_found bigint, rows_updated bigint, rows_deleted bigint, rows_live bigint
        ) using dms_merge options (
            location {{ sql_string(location) }},
            before {{ sql_string(tojson(before_folders(declared, plan))) }},
            changes {{ sql_string(changed_keys) }},
            settings {{ sql_string(tojson({
                "columns": reader_settings(declared).columns,
                "primary_keys": declared.primary_keys,
                "load_generation": plan.staged.generation if plan.action == "build" else none,
                "replaced": replaced,
            })) }}
        )
    {% endcall %}
    {% set existing = query_rows(
        "select sum(rows_found) as rows_found, sum(rows_updated) as rows_updated, sum(rows_deleted) as rows_deleted from " ~ view
    ) %}
    {% set counted = query_rows("select count(*) as row_count from parquet.`" ~ location ~ "`")[0].row_count %}
    {% do return({
        "slices": [{"slice": none, "location": location, "rows": counted}],
        "replaced": [{"location": replaced}] if replaced else [],
        "existing": existing,
    }) %}
{% endmacro %}
