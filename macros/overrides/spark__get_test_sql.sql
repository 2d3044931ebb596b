{% macro spark__get_test_sql(main_sql, fail_calc, warn_if, error_if, limit) %}
    {#-
        A test that need not be run again has nothing to count (unless_passed). The tables of a declaration that is not
        active may not be there: their tests have nothing to look at.
    -#}
    {% if main_sql | trim == dms_snapshots.passing_test_sql() %}
        {% do return(dms_snapshots.passing_test_sql()) %}
    {% endif %}
    {% set tested = graph.nodes.get(model.attached_node, {}).get("config", {}).get("meta", {}).get("dms") %}
    {#- What a run refuses, such as `active` without a value, is no reason to pass. -#}
    {% if tested and dms_snapshots.read_declaration(
        dms_snapshots.find_source(tested.source_name, tested.table_name)
    ).active is sameas false %}
        {% do return(dms_snapshots.passing_test_sql()) %}
    {% endif %}
    {% do return(default__get_test_sql(main_sql, fail_calc, warn_if, error_if, limit)) %}
{% endmacro %}
