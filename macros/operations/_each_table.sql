{% macro _each_table(select, dry_run) %}
    {% set tables = dms_snapshots._selected_tables(select) %}
    {% set last = {"dry_run": dry_run, "reports": true} %}
    {% for attempt in (
        [{"dry_run": true, "reports": false}, last] if tables | length > 1 and not dry_run else [last]
    ) %}
        {% for table in tables %}
            {% set state = dms_snapshots._published_state(
                table, attempt.dry_run, tables | length == 1, attempt.reports
            ) %}
            {% if state %}{% do caller(table, state, attempt) %}{% endif %}
        {% endfor %}
    {% endfor %}
{% endmacro %}
