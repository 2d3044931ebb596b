{% macro spark__get_test_sql(main_sql, fail_calc, warn_if, error_if, limit) %}
    {#- The tables of a declaration that is not active may not be there: their tests have nothing to look at. -#}
    {% set tested = graph.nodes.get(model.attached_node, {}).get("config", {}).get("meta", {}).get("dms") %}
    {#- What a run refuses, such as `active` without a value, is no reason to pass. -#}
    {% if tested and read_declaration(find_source(tested.source_name, tested.table_name)).active is sameas false %}
        {% do return("select 0 as failures, false as should_warn, false as should_error") %}
    {% endif %}
    {% do return(default__get_test_sql(main_sql, fail_calc, warn_if, error_if, limit)) %}
{% endmacro %}
