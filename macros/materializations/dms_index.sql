{% materialization dms_index, adapter='spark' %}
    {% set relation = this.incorporate(type="table") %}
    {% do dms_snapshots.check_logs() %}
    {% if load_relation(this) is none %}{% do dms_snapshots.create_log_table(
        relation, model, dms_snapshots.new_table_location(relation)
    ) %}{% endif %}
    {% set tables = dms_snapshots.active_tables() %}
    {% do dms_snapshots.index_node().update({"versions": dms_snapshots.read_known_versions(tables, probes=true)}) %}
    {% set outcome = {} %}
    {% for attempt in range(10) %}
        {% set before = dms_snapshots.list_partitions(relation) %}
        {% do dms_snapshots.check_later_addition(relation, before) %}
        {{ run_hooks(pre_hooks) }}
        {% set rows = dms_snapshots.query_rows("select *, current_timezone() as time_zone from dms_index") %}
        {% do dms_snapshots.check_time_zone(rows[0].time_zone) %}
        {% set added = fromjson((rows | selectattr("label", "equalto", "") | first).plan) %}
        {% if not added.added %}
            {% do outcome.update({"rows": rows, "message": "nothing new"}) %}
        {% elif dms_snapshots.list_partitions(relation) == before
            and dms_snapshots.add_indexed_files(relation, before, added) %}
            {% do outcome.update({"rows": rows, "message": added.added ~ " new"}) %}
        {% endif %}
        {% if outcome %}{% break %}{% endif %}
    {% endfor %}
    {% if not outcome %}
        {% do dms_snapshots.fail(
            "E401",
            none,
            this ~ ": other runs have added to it each time this one was about to",
            "Nothing was changed.",
            "Run the same command again."
        ) %}
    {% endif %}
    {% do dms_snapshots.record_plans(tables, outcome.rows) %}
    {{ store_result("main", outcome.message) }}
    {{ run_hooks(post_hooks) }}
    {% do return({"relations": [relation]}) %}
{% endmaterialization %}
