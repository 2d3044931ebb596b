{% macro pass_command(relation, declared, plan, gate) %}
    {% do return(
        "dbt run --select +" ~ relation.identifier ~ (" --full-refresh" if not plan.base else "") ~ " --vars '{run_date: "
        ~ plan.run_date ~ ", " ~ gate ~ ": [" ~ declared.label ~ "]}'"
    ) %}
{% endmacro %}
