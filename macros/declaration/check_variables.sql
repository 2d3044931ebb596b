{% macro check_variables() %}
    {#- dbt accepts any name: with `rundate`, it would run for today. -#}
    {% set numbers = ["late_file_days", "broadcast_max_keys"] %}
    {% set known = ["run_date", "allow_deletes", "allow_gates", "allow_reloads", "test_again"] + numbers %}
    {% set unknown = (invocation_args_dict.vars or {}).keys() | reject("in", known) | list %}
    {% if unknown %}
        {% do fail(
            none,
            "--vars: " ~ unknown | join(", ") ~ " is no variable of this project",
            "Nothing was run.",
            "Allowed are " ~ known | join(", ") ~ ", for example dbt run --vars '{run_date: 2026-11-20}'."
        ) %}
    {% endif %}
    {% for name in numbers if var(name, none) is not none and not (var(name) is integer and var(name) >= 0) %}
        {% do fail(
            none,
            "--vars: " ~ name ~ " is '" ~ var(name) ~ "'",
            "Nothing was run.",
            "Allowed is a whole number from 0, for example dbt run --vars '{" ~ name ~ ": 3}'."
        ) %}
    {% endfor %}
{% endmacro %}
