{% macro refuse_unknown_variables() %}
    {#- A name typed wrong would be no error of dbt: `rundate` would run for today. -#}
    {% set known = ["run_date", "late_file_days", "allow_deletes", "allow_gates", "broadcast_max_keys"] %}
    {% set unknown = (invocation_args_dict.vars or {}).keys() | reject("in", known) | list %}
    {% if unknown %}
        {% do exceptions.raise_compiler_error(
            "--vars: " ~ unknown | join(", ") ~ " is no variable of this project. Nothing was run. Allowed are " ~ known | join(", ")
            ~ ", for example dbt run --vars '{run_date: 2026-11-20}'."
        ) %}
    {% endif %}
{% endmacro %}
