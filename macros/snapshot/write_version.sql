{% macro write_version(changes_sql, relation, declared, plan) %}
    {#- Writes the newest change of each key, then the state after; returns the version. -#}
    {% set location = plan.root ~ "/" ~ (plan.folder or run_version()) %}
    {% if plan.action == "build" and plan.loads_repeat is not defined %}
        {% do plan.update({"loads_repeat": loads_repeat(changes_sql, declared, plan)}) %}
    {% endif %}

    {% set changed_keys = location ~ "/changes" %}
    {% set rows_in = plan.staged.staged_in if finds_rows_in_staging(declared, plan) else none %}
    {% do write_changed_keys(changed_keys, changes_sql, declared, plan, with_rows=not rows_in) %}
    {% set latest = "parquet." ~ sql_name(changed_keys) %}

    {% set arriving = query_rows(arriving_counts_sql(latest, declared)) %}
    {% do refuse_bad_changes(declared, plan, arriving, latest) %}

    {% set few = arriving | sum(attribute="changed_keys") <= var("broadcast_max_keys", 5000000) %}
    {#- What is gathered anew from staging is filtered by file, which copying whole folders cannot do. -#}
    {% set copies = not plan.rebuilds or plan.loads_repeat if not declared.partition_date else plan.action == "merge" %}
    {% if few and copies %}
        {% set state = copy_state(relation, declared, plan, changed_keys, rows_in, arriving, location ~ "/rows") %}
    {% else %}
        {% if rows_in %}
            {#- SQL needs the rows after all. -#}
            {% set changed_keys = location ~ "/changed-rows" %}
            {% set latest = "parquet." ~ sql_name(changed_keys) %}
            {% do write_changed_keys(changed_keys, changes_sql, declared, plan, with_rows=true) %}
        {% endif %}
        {% set state = merge_state(changes_sql, relation, declared, plan, latest, arriving, location ~ "/rows", few) %}
    {% endif %}
    {% do refuse_lost_files(declared, plan, state.existing) %}
    {% do return(dict(
        counted_version(plan, arriving, state), folder=location, changes=changed_keys, replaced=state.replaced
    )) %}
{% endmacro %}
