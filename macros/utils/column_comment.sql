{% macro column_comment(column) %}
    {#-
        A description as AWS Glue takes it: one line, at most 255 bytes. If Glue refuses a comment Spark
        keeps the columns where Spark alone finds them, and other engines read a table without any.
    -#}
    {% set text = (column.description or "").split() | join(" ") %}
    {% if text.encode("utf-8") | length > 255 %}
        {% set text = text.encode("utf-8")[:252].decode("utf-8", "ignore") ~ "…" %}
    {% endif %}
    {% do return(text) %}
{% endmacro %}
