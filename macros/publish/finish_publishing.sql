{% macro finish_publishing(relation, declared, plan, whole) %}
    {% if not plan.newest or (plan.is_published and load_relation(relation) is not none) %}
        {% do return(none) %}
    {% endif %}
    {% if dms_snapshots.newest_numbers([declared])[declared.label] != plan.newest %}
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
    {#- Another run may have recorded unchanged dates of it since the index looked. -#}
    {% set recorded, before = dms_snapshots.recorded_dates(declared), none %}
    {% set known = recorded.get(whole.current.version, {}).get("dates", []) %}
    {% set whole = dict(whole, dates=dms_snapshots.shown_dates(whole.newest, whole.current, known)) %}
    {% if plan.published_before %}
        {% set before = dms_snapshots.versions_at(declared, plan.published_before, recorded) %}
    {% endif %}
    {% do dms_snapshots.publish_state(relation, declared, whole, before) %}
    {% do log(declared.label ~ ": finished publishing version " ~ plan.newest, info=true) %}
{% endmacro %}

