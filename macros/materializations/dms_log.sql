{% materialization dms_log, adapter='spark' %}
    {#-
        A table that is only ever added to, also by --full-refresh: its columns are those of its
        YAML entry. A model that says `appends: true` adds the rows of its own query, in a
        partition of this run; to the others the models of the tables add theirs. Its pre-hooks
        find out what there is to add, by what the table has, and note in its node `has_additions`:
        if another run has added to it meanwhile, they are asked again.
    -#}
    {% set relation = this.incorporate(type="table") %}
    {% set is_new = load_relation(this) is none %}
    {% if is_new %}
        {% do create_table(
            this, model.columns.values() | list, config.get("partition_by"), new_table_location(this), comment_clause()
        ) %}
        {% do adapter.cache_added(relation) %}
    {% endif %}
    {% set described = described_table(relation) %}
    {% do sync_columns(relation, model.columns.values() | list, this.identifier, existing_columns=described.columns) %}
    {% set location = described.location or table_location(relation) %}
    {% set node = log_node(model.name) %}
    {% do node.update({"log_location": location, "newest": none}) %}
    {% set appends = config.get("meta").get("appends", false) %}
    {% set outcome = {} %}
    {% for attempt in range(10) %}
        {% set before = list_partitions(relation) if appends else [] %}
        {{ run_hooks(pre_hooks) }}
        {% set partitions = list_partitions(relation) if appends else [] %}
        {#- Also if nothing is new any more, because it has added that. -#}
        {% do refuse_later_addition(relation, partitions) %}
        {% if not appends or not node.has_additions %}
            {% do outcome.update({"status": "kept", "partitions": partitions}) %}
            {% break %}
        {% elif is_new and before %}
            {#- The query was made when there was no table, so it knows no row of it. -#}
            {% do exceptions.raise_compiler_error(
                this ~ ": another run has made it while this one was at work. Nothing was changed. Run the same command again."
            ) %}
        {% elif append_partition(relation, location, {"run_date": run_date(), "version": run_version()}, sql, before) %}
            {% do outcome.update({"status": "added to", "partitions": partitions + [{"run_date": run_date(), "version": run_version()}]}) %}
            {% break %}
        {% endif %}
    {% endfor %}
    {% if not outcome %}
        {% do exceptions.raise_compiler_error(
            this ~ ": other runs have added to it each time this one was about to. Nothing was changed. Run the same command again."
        ) %}
    {% endif %}
    {#- This is all that the models of the tables ask of the partitions. -#}
    {% if outcome.partitions %}
        {% do node.update({"newest": {
            "version": outcome.partitions | map(attribute="version") | max,
            "run_date": outcome.partitions | map(attribute="run_date") | max,
        }}) %}
    {% endif %}
    {{ store_result("main", outcome.status) }}
    {{ run_hooks(post_hooks) }}
    {% do return({"relations": [relation]}) %}
{% endmaterialization %}
