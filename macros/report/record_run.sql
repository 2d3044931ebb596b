{% macro record_run(results) %}
    {#-
        The end of a run: one write records for all tables what readers see now. What is missing there, the next run
        publishes again.
    -#}
    {% set records = [] %}
    {% for result in results
        if execute and result.status == "success" and result.node.config.materialized == "dms_snapshot" %}
        {% set table = result.node.config.meta.dms %}
        {% set plan = index_node().get("plans", {}).get(table.source_name ~ "." ~ table.table_name) %}
        {% set number = modules.re.match("(version|unchanged since version) ([0-9]+)", result.message or "") %}
        {% if plan and number and number[1] == "version" %}
            {% do records.append(published_record(table, number[2] | int)) %}
        {% elif plan and number %}
            {% set is_shown = plan.run_date == plan.current.run_date or plan.run_date in plan.unchanged_dates %}
            {% set dates = plan.unchanged_dates + ([] if is_shown else [plan.run_date]) %}
            {% if not is_shown or not plan.is_published %}
                {% do records.append(
                    published_record(table, plan.current.version, dates, plan.indexed_from, plan.indexed_through)
                ) %}
                {% if plan.newest != plan.current.version %}
                    {% do records.append(published_record(table, plan.newest)) %}
                {% endif %}
            {% endif %}
        {% endif %}
    {% endfor %}
    {% do record_rows("snapshot_dates", records) %}
{% endmacro %}
