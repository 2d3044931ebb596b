{% macro layout(declared) %}
    {%- do return(
        ("one snapshot per date" if declared.history else "current state only")
        ~ (
            ", by " ~ declared.partition_granularity ~ " of " ~ declared.partition_date
            if declared.partition_date else ""
        )
    ) -%}
{% endmacro %}
