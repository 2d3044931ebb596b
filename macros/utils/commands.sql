{% macro run_command(table_name, full_refresh=false, more_vars="", run_date=none) %}
    {%- set is_of_date = var("run_date", none) or invocation_args_dict.which not in ["run-operation", "snapshot"] -%}
    {%- set date = run_date or (dms_snapshots.run_date() if is_of_date else none) -%}
    {%- set given = (["run_date: " ~ date] if date else []) + ([more_vars] if more_vars else []) -%}
    {%- do return(
        "dbt run" ~ (" --select +" ~ table_name ~ "_snapshot" if table_name else "")
        ~ (" --full-refresh" if full_refresh else "") ~ dms_snapshots.given_target()
        ~ (" --vars '{" ~ given | join(", ") ~ "}'" if given else "")
    ) -%}
{% endmacro %}


{% macro passes_once(declared, gate) %}
    {% set tables = var(gate, none) or [] %}
    {% do return(declared.label in ([tables] if tables is string else tables)) %}
{% endmacro %}


{% macro given_target() %}
    {%- do return(" --target " ~ target.name if invocation_args_dict.get("target") else "") -%}
{% endmacro %}


{% macro operation_command(operation, arguments) %}
    {%- set given = [] -%}
    {%- for name, value in arguments.items() if value is not none -%}
        {%- set plain = value is number or modules.re.match("^[A-Za-z0-9_.-]+$", value | string) -%}
        {%- do given.append(name ~ ": " ~ (value if plain else tojson(value))) -%}
    {%- endfor -%}
    {%- do return(
        "dbt run-operation " ~ operation ~ dms_snapshots.given_target() ~ " --args '{" ~ given | join(", ") ~ "}'"
    ) -%}
{% endmacro %}
