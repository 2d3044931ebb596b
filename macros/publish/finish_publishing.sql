{% macro finish_publishing(relation, declared, plan) %}
    {% if not plan.newest or (plan.is_published and load_relation(relation) is not none) %}
        {% do return(none) %}
    {% endif %}
    {% set state = dms_snapshots.version_state(declared, {"publishes": true, "since_last": true}) %}
    {% if state.newest.version != plan.newest %}
        {% do dms_snapshots.fail(
            "E401",
            declared.label,
            "another command has published a newer version than " ~ plan.newest ~ " while this one was at work",
            none,
            "Run the same command again."
        ) %}
    {% endif %}
    {#- The end of the run looks for one that has come meanwhile. -#}
    {% do dms_snapshots.index_node().setdefault("finished", {}).update({declared.label: plan.newest}) %}
    {% do dms_snapshots.publish_state(relation, declared, state) %}
    {% do dms_snapshots.index_node().setdefault("finished_records", {}).update({declared.label: state.record}) %}
    {% do log(declared.label ~ ": finished publishing version " ~ plan.newest, info=true) %}
{% endmacro %}
