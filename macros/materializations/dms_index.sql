{% materialization dms_index, adapter='spark' %}
    {#-
        The index of the landing area, and the plan of the run for all tables. Its query is made again, with the
        view that it reads, if another run has added to the index meanwhile.
    -#}
    {% set relation = this.incorporate(type="table") %}
    {% do check_logs() %}
    {% if load_relation(this) is none %}{% do create_log_table(relation) %}{% endif %}
    {% set tables = active_tables() %}
    {% do index_node().update({"versions": read_known_versions(tables)}) %}
    {% set outcome = {} %}
    {% for attempt in range(10) %}
        {% set before = list_partitions(relation) %}
        {% do check_later_addition(relation, before) %}
        {{ run_hooks(pre_hooks) }}
        {% set rows = query_rows("select * from dms_index") %}
        {% set added = fromjson((rows | selectattr("label", "equalto", "") | first).plan) %}
        {% if not added.added %}
            {% do outcome.update({"rows": rows, "message": "nothing new"}) %}
        {% elif list_partitions(relation) == before and add_indexed_files(relation, before, added) %}
            {% do outcome.update({"rows": rows, "message": added.added ~ " new"}) %}
        {% endif %}
        {% if outcome %}{% break %}{% endif %}
    {% endfor %}
    {% if not outcome %}
        {% do fail(
            none,
            this ~ ": other runs have added to it each time this one was about to",
            "Nothing was changed.",
            "Run the same command again."
        ) %}
    {% endif %}
    {% do record_plans(tables, outcome.rows) %}
    {{ store_result("main", outcome.message) }}
    {{ run_hooks(post_hooks) }}
    {% do return({"relations": [relation]}) %}
{% endmaterialization %}
