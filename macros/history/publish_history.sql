{% macro publish_history(relation, plan, written) %}
    {% set column, while_open = dms_snapshots.closed_on_column().name, dms_snapshots.closed_on_column().while_open %}
    {% do dms_snapshots.set_partition(relation, {column: while_open}, written.open) %}
    {% set run_date = (plan.runs | last).run_date if plan.runs else none %}
    {% set stale = [] %}
    {% for date in plan.stale if date != run_date %}{% do stale.append({column: date}) %}{% endfor %}
    {% do dms_snapshots.drop_partitions(relation, stale) %}
    {% if run_date %}
        {% do dms_snapshots.set_partition(relation, {column: run_date}, written.closed) %}
    {% endif %}
{% endmacro %}
