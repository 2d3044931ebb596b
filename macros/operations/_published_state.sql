{% macro _published_state(table, dry_run, is_alone, reports=true) %}
    {% set declared, relation = table.declared, table.relation %}
    {% set state = dms_snapshots.table_state(declared) %}
    {% if not state and not is_alone %}
        {% if reports %}
            {% do print(declared.label ~ ": nothing was ever published, so there is nothing to do") %}
        {% endif %}
        {% do return(none) %}
    {% elif not state %}
        {% do dms_snapshots.fail(
            "E420",
            declared.label,
            "nothing was ever published, so there is nothing to do",
            "Nothing was changed.",
            "Publish with dbt run."
        ) %}
    {% endif %}
    {% set current = state.whole.current %}
    {% if current.layout != dms_snapshots.layout(declared) %}
        {% do dms_snapshots.fail(
            "E402",
            declared.label,
            "the declaration says: " ~ dms_snapshots.layout(declared) ~ "; it was published as: " ~ current.layout,
            "Nothing was changed.",
            "Declare it as before, or repartition it: "
            ~ dms_snapshots.run_command(declared.table_name, full_refresh=true)
        ) %}
    {% endif %}
    {% if state.newest not in state.recorded or load_relation(relation) is none %}
        {% if not dry_run %}
            {% set before = (
                dms_snapshots.versions_at(
                    declared, state.published_before, state.recorded
                ) if state.published_before else none
            ) %}
            {% do dms_snapshots.publish_state(relation, declared, state.whole, before) %}
            {% do dms_snapshots.record_command([dms_snapshots.published_record(declared, state.newest)]) %}
            {% do dms_snapshots.publish_newer({declared.label: state.newest}) %}
        {% endif %}
        {% if reports %}
            {% do print(
                declared.label ~ ": a command died, or is at work, while it published version " ~ state.newest
                ~ " (" ~ state.whole.newest.action ~ "). "
                ~ ("That would be finished" if dry_run else "That is finished now") ~ ", and nothing else done. "
                ~ "Give the command again for more."
            ) %}
        {% endif %}
        {% do return(none) %}
    {% endif %}
    {% do return(state) %}
{% endmacro %}
