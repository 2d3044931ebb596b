{% macro check_variables() %}
    {% set numbers, least = {
        "late_file_days": 7, "dms_control_days": 7, "broadcast_max_keys": 5000000, "file_bytes": 67108864,
    }, {"broadcast_max_keys": 1, "file_bytes": 1} %}
    {% set others = [
        "run_date", "allow_deletes", "allow_gates", "allow_missing_files", "allow_reinserts", "allow_reloads",
        "test_again", "dms_control_tables",
    ] %}
    {% set known = others + numbers.keys() | list %}
    {% set unknown, letters = [], known | map("replace", "_", "") | list %}
    {% for name in invocation_args_dict.vars or {} if name not in known %}
        {#- {run_date:2026-11-20}, without a blank, is one name for YAML. -#}
        {% set plain = name.split(":")[0] | lower | replace("_", "") | replace("-", "") %}
        {% if project_name == "dms_snapshots" or plain in letters %}
            {% do unknown.append(name) %}
        {% endif %}
    {% endfor %}
    {% if unknown %}
        {% do dms_snapshots.fail(
            "E103",
            none,
            "--vars: " ~ unknown | join(", ") ~ " is no variable of this project"
            ~ ("; a value needs a blank before it" if ":" in unknown | join),
            "Nothing was run.",
            "Allowed are " ~ known | join(", ") ~ ", for example dbt run --vars '{run_date: 2026-11-20}'."
        ) %}
    {% endif %}
    {% for name, example in numbers.items()
        if var(name, none) is not none and not (var(name) is integer and var(name) >= least.get(name, 0)) %}
        {% do dms_snapshots.fail(
            "E104",
            none,
            "--vars: " ~ name ~ " is '" ~ var(name) ~ "'",
            "Nothing was run.",
            "Allowed is a whole number from " ~ least.get(name, 0) ~ ", for example dbt run --vars '{" ~ name ~ ": "
            ~ example ~ "}'."
        ) %}
    {% endfor %}
    {#- While dbt parses, no table is known yet. -#}
    {% for name in others if execute and name.startswith("allow_") %}
        {% set given = var(name, none) or [] %}
        {% set tables = given if given is sequence and given is not string else [given] %}
        {% set unknown = tables | reject("in", dms_snapshots.declarations().ids) | list %}
        {% if unknown %}
            {% do dms_snapshots.fail(
                "E104",
                none,
                "--vars: " ~ name ~ " has " ~ unknown | join(", ") ~ ", which is no declared table",
                "Nothing was run.",
                "Allowed are tables as source.table, for example dbt run --vars '{" ~ name
                ~ ": [employees.employees]}'."
            ) %}
        {% endif %}
    {% endfor %}
{% endmacro %}
