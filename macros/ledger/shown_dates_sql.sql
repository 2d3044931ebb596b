{% macro shown_dates_sql(declared, version, plan) %}
    {#- The dates that readers see with a version: those of the newest one, and its own. -#}
    {% set own = "array(struct(date'" ~ version.run_date ~ "' as run_date, " ~ version.version ~ " as version))" %}
    {%- if not declared.history or plan.layout != layout(declared) -%}
        {%- do return(own) -%}
    {%- endif -%}
    {%- do return(
        "array_sort(concat(filter(coalesce(earlier.dates, array()), shown -> shown.run_date <> date'" ~ version.run_date ~ "'), " ~ own ~ "))"
    ) -%}
{% endmacro %}
