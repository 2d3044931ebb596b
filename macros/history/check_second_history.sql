{% macro check_second_history(relation, declared, plan) %}
    {% set dates = dms_snapshots.closed_dates(relation) %}
    {% if (dms_snapshots.closed_partition(relation, dates[0]).closed if dates else none) != plan.newest_closed %}
        {% do dms_snapshots.fail(
            "E401",
            declared.label,
            "another dbt snapshot has written " ~ model.name ~ " while this one was at work",
            "Nothing of this one was published.",
            "Run the same command again."
        ) %}
    {% endif %}
{% endmacro %}
