{% macro _next_command(operation, arguments, dry_run, after) %}
    {% if dry_run %}
        {% do print(
            "Nothing was changed. To do it: "
            ~ dms_snapshots.operation_command(operation, dict(arguments, dry_run="false"))
        ) %}
    {% else %}
        {% do print("Next: " ~ after) %}
    {% endif %}
{% endmacro %}
