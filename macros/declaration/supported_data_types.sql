{% macro supported_data_types() %}
    {%- do return(
        "^(boolean|tinyint|smallint|int|bigint|float|double|date|timestamp|timestamp_ntz|string|binary"
        ~ "|decimal\\( *([1-9]|[12][0-9]|3[0-8]) *, *([0-9]|[12][0-9]|3[0-8]) *\\))$"
    ) -%}
{% endmacro %}
