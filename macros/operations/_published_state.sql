{% macro _published_state(table, dry_run, is_alone, tells=true) %}
    {#-
        Where a table stands, for an operation that goes on from there; none if all there was to do
        is to finish what a dead command left half shown, or if it is one of several and was never run.
    -#}
    {% set declared, relation = table.declared, table.relation %}
    {% set exists = load_relation(ref("snapshot_versions")) is not none and load_relation(relation) is not none %}
    {% set state = table_state(relation, declared) if exists else {} %}
    {% if not state.newest and not is_alone %}
        {% if tells %}{% do print(declared.label ~ ": nothing was ever published, so there is nothing to do") %}{% endif %}
        {% do return(none) %}
    {% elif not state.newest %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": nothing was ever published, so there is nothing to do. Publish with dbt run."
        ) %}
    {% endif %}
    {% if state.layout != layout(declared) %}
        {% do refuse_other_layout(relation, declared, state, may_change=false) %}
    {% endif %}
    {% if state.published_version != state.newest | string %}
        {% if not dry_run %}{% do finish_publishing(relation, declared, state) %}{% endif %}
        {% if tells %}
            {% do print(
                declared.label ~ ": a command died, or is at work, while it showed version " ~ state.newest ~ " (" ~ state.head.action
                ~ "). " ~ ("That would be finished" if dry_run else "That is finished now") ~ ", and nothing else done. Give the command "
                ~ "again for more."
            ) %}
        {% endif %}
        {% do return(none) %}
    {% endif %}
    {% do return(state) %}
{% endmacro %}
