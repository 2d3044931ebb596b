{% macro run_command(table_name, full_refresh=false, more_vars="") %}
    {#-
        Whoever types it gets the date and the target of this command: the defaults may be others. What is
        not for a date, as dbt snapshot, tells none, and the default is that of every day.
    -#}
    {%- set is_of_date = var("run_date", none) or invocation_args_dict.which not in ["run-operation", "snapshot"] -%}
    {%- set given = (
        ["run_date: " ~ dms_snapshots.run_date()] if is_of_date else []
    ) + ([more_vars] if more_vars else []) -%}
    {%- do return(
        "dbt run --select +" ~ table_name ~ "_snapshot" ~ (" --full-refresh" if full_refresh else "")
        ~ dms_snapshots.given_target()
        ~ (" --vars '{" ~ given | join(", ") ~ "}'" if given else "")
    ) -%}
{% endmacro %}


{% macro passes_once(declared, gate) %}
    {#- Whether a person has said, for this one command, that a gate may fail. -#}
    {% set tables = var(gate, none) or [] %}
    {% do return(declared.label in ([tables] if tables is string else tables)) %}
{% endmacro %}


{% macro given_target() %}
    {#- The target of this command as an option for the next one, if it was given as one. -#}
    {%- do return(" --target " ~ target.name if invocation_args_dict.get("target") else "") -%}
{% endmacro %}


{% macro operation_command(operation, arguments) %}
    {#- An operation as it can be typed, for the target of this command; arguments that are none are left out. -#}
    {%- set given = [] -%}
    {%- for name, value in arguments.items() if value is not none -%}
        {%- set plain = value is number or modules.re.match("^[A-Za-z0-9_.-]+$", value | string) -%}
        {%- do given.append(name ~ ": " ~ (value if plain else tojson(value))) -%}
    {%- endfor -%}
    {%- do return(
        "dbt run-operation " ~ operation ~ dms_snapshots.given_target() ~ " --args '{" ~ given | join(", ") ~ "}'"
    ) -%}
{% endmacro %}
