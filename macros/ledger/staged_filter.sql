{% macro staged_filter(declared, base) %}
    {#- What this run staged on this base: other rows are left-overs of attempts never published. -#}
    {%- do return(
        table_filter(declared)
        ~ " and run_date = date'" ~ run_date() ~ "' and base_version <=> "
        ~ (base.version if base else "null")
    ) -%}
{% endmacro %}
