{% macro layout(declared) %}
    {#- The layout in words: kept beside the table and each version, so that a change is noticed. -#}
    {%- do return(
        ("one snapshot per date" if declared.history else "current state only")
        ~ (
            ", by " ~ declared.partition_granularity ~ " of " ~ declared.partition_date
            if declared.partition_date else ""
        )
    ) -%}
{% endmacro %}
