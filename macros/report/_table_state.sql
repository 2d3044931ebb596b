{% macro _table_state(result) %}
    {% if result.status == "skipped" %}
        {% do return("skipped") %}
    {% elif result.status != "success" %}
        {% do return("failed") %}
    {% elif result.message == "not active" %}
        {% do return("not active") %}
    {% elif result.node.config.materialized == "dms_snapshot" and not result.message.startswith("unchanged") %}
        {% do return("published") %}
    {% endif %}
    {#- Also a table of which this command ran the staging model alone. -#}
    {% do return("unchanged") %}
{% endmacro %}
