{% macro _table_state(result) %}
    {% if result.status == "skipped" %}
        {% do return("skipped") %}
    {% elif result.status in ["error", "fail", "runtime error", "partial success"] %}
        {% do return("failed") %}
    {% elif result.message == "not active" %}
        {% do return("not active") %}
    {% elif result.node.config.materialized != "dms_snapshot" %}
        {#- If the snapshot was run too, its result comes later and counts. -#}
        {% do return("staged") %}
    {% endif %}
    {% do return("unchanged" if result.message.startswith("unchanged") else "published") %}
{% endmacro %}
