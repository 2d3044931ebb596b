{% macro check_second_history(relation, declared, plan) %}
    {% if dms_snapshots.history_folders(relation, dms_snapshots.history_dates(relation)[:2]) != plan.newest_folders %}
        {% do dms_snapshots.fail(
            "E401",
            declared.label,
            "another dbt snapshot has written " ~ model.name ~ " while this one was at work",
            "Nothing of this one was published.",
            "Run the same command again."
        ) %}
    {% endif %}
{% endmacro %}
