{% macro version_summary(version) %}
    {% if version.action == "carry" %}
        {% do return("unchanged, " ~ version.rows_after ~ " rows") %}
    {% endif %}
    {% do return(
        "+" ~ version.rows_inserted ~ " ~" ~ version.rows_updated ~ " -" ~ version.rows_deleted ~ ", " ~ version.rows_after ~ " rows"
    ) %}
{% endmacro %}
