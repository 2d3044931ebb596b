{% macro run_command(table_name, full_refresh=false, more_vars="") %}
    {#- Whoever types it gets the date and the target of this command: the defaults may be others. -#}
    {%- set given = (["run_date: " ~ run_date()] if var("run_date", none) else []) + ([more_vars] if more_vars else []) -%}
    {%- do return(
        "dbt run --select +" ~ table_name ~ "_snapshot" ~ (" --full-refresh" if full_refresh else "") ~ given_target()
        ~ (" --vars '{" ~ given | join(", ") ~ "}'" if given else "")
    ) -%}
{% endmacro %}
