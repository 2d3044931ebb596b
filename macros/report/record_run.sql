{% macro record_run(results) %}
    {% set records, shown = [], {} %}
    {% for result in results
        if execute and result.status == "success" and result.node.config.materialized == "dms_snapshot" %}
        {% set table = result.node.config.meta.dms %}
        {% set label = table.source_name ~ "." ~ table.table_name %}
        {% set plan, made = dms_snapshots.index_node().get(
            "plans", {}
        ).get(label), dms_snapshots.index_node().get("made", {}).get(label) %}
        {% set finished = dms_snapshots.index_node().get("finished_records", {}).get(label) %}
        {% if finished %}
            {% do records.append(dict(finished, **dms_snapshots.table_partition(table))) %}
        {% endif %}
        {% if made %}
            {% do records.append(dms_snapshots.published_record(
                table, made, [], plan.indexed_from, plan.indexed_through
            )) %}
        {% elif plan %}
            {% set is_shown = plan.run_date == plan.current.run_date or plan.run_date in plan.unchanged_dates %}
            {% set dates = plan.unchanged_dates + ([] if is_shown else [plan.run_date]) %}
            {% if not is_shown %}{% do shown.update({label: plan.newest}) %}{% endif %}
            {% if not is_shown or not plan.is_published %}
                {% do records.append(
                    dms_snapshots.published_record(
                        table, plan.current.version, dates, plan.indexed_from, plan.indexed_through
                    )
                ) %}
                {% if plan.newest != plan.current.version %}
                    {% do records.append(dms_snapshots.published_record(table, plan.newest)) %}
                {% endif %}
            {% endif %}
        {% endif %}
    {% endfor %}
    {% do dms_snapshots.record_command(records) %}
    {% if records %}{% do dms_snapshots.derive_tables() %}{% endif %}
    {% if execute %}
        {% set index = dms_snapshots.index_node() %}
        {#- Another run may have finished the same version, and taken away the date before it was recorded. -#}
        {% for declared in dms_snapshots.declarations().tables.values()
            if declared.label in shown and declared.label in index.get("finished", {}) %}
            {% do dms_snapshots.correct_date(declared, dms_snapshots.version_state(
                declared, {"number": shown[declared.label], "publishes": true}
            )) %}
        {% endfor %}
        {% do dms_snapshots.publish_newer(dict(index.get("finished", {}), **index.get("made", {})), shown) %}
    {% endif %}
{% endmacro %}
