{% macro spark__get_test_sql(main_sql, fail_calc, warn_if, error_if, limit) %}
    {% if main_sql | trim == dms_snapshots.no_failing_rows_sql() %}
        {% do return(dms_snapshots.passing_test_sql()) %}
    {% endif %}
    {% set node = graph.nodes.get(model.attached_node, {"config": {}}) %}
    {% set tested = node.config.meta.dms if node.config.materialized in dms_snapshots.dms_materializations() %}
    {#- What a run refuses, such as `active` without a value, is no reason to pass. -#}
    {% if tested and dms_snapshots.read_declaration(
        dms_snapshots.find_source(tested.source_name, tested.table_name)
    ).active is sameas false %}
        {% do return(dms_snapshots.passing_test_sql()) %}
    {% endif %}
    {% if tested and adapter.get_relation(node.database, node.schema, node.alias) is none %}
        {% do dms_snapshots.fail(
            "E420",
            tested.source_name ~ "." ~ tested.table_name,
            "there is no " ~ node.schema ~ "." ~ node.alias ~ " yet",
            "Nothing was tested.",
            "Publish it with dbt run, and do what that says."
        ) %}
    {% endif %}
    {% do return(dbt.default__get_test_sql(main_sql, fail_calc, warn_if, error_if, limit)) %}
{% endmacro %}
