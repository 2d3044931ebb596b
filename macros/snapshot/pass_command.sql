{% macro pass_command(relation, declared, plan, gate) %}
    {% if invocation_args_dict.which == "run-operation" %}
        {% do return(
            "dbt run-operation " ~ invocation_args_dict.macro ~ given_target() ~ " --args '" ~ tojson(invocation_args_dict.args) ~ "' --vars '{"
            ~ gate ~ ": [" ~ declared.label ~ "]}'"
        ) %}
    {% endif %}
    {% do return(
        "dbt run --select +" ~ relation.identifier ~ (" --full-refresh" if not plan.base else "") ~ given_target() ~ " --vars '{run_date: "
        ~ plan.run_date ~ ", " ~ gate ~ ": [" ~ declared.label ~ "]}'"
    ) %}
{% endmacro %}
