{% macro staged_filter(declared, base) %}
    {#- What this run staged on this base: other rows are left-overs of attempts never published. -#}
    {%- do return(
        "source_name = " ~ sql_string(declared.source_name) ~ " and table_name = " ~ sql_string(declared.table_name)
        ~ " and run_date = date'" ~ run_date() ~ "' and base_version <=> "
        ~ (base.version if base else "null")
    ) -%}
{% endmacro %}
