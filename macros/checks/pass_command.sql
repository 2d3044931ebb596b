{% macro pass_command(declared, plan, gate) %}
    {% if invocation_args_dict.which == "run-operation" %}
        {% do return(
            "dbt run-operation " ~ invocation_args_dict.macro ~ given_target() ~ " --args '" ~ tojson(invocation_args_dict.args) ~ "' --vars '{"
            ~ gate ~ ": [" ~ declared.label ~ "]}'"
        ) %}
    {% endif %}
    {% do return(run_command(declared.table_name, plan.full_refresh, gate ~ ": [" ~ declared.label ~ "]")) %}
{% endmacro %}
