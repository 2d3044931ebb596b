{% macro commit_and_publish(relation, declared, state, manifest) %}
    {% do dms_snapshots.commit_version(declared, manifest) %}
    {% set shown = state.whole.current.partitions %}
    {% set first = dms_snapshots._state_after(declared, state, manifest) %}
    {% do dms_snapshots.publish_state(relation, declared, first.whole, state.whole, shown) %}
    {#- A run that has recorded an unchanged date meanwhile; one that does so from here on sees the new version. -#}
    {% set now = dms_snapshots._state_after(declared, state, manifest) %}
    {% if now.whole.dates != first.whole.dates %}
        {% do dms_snapshots.publish_state(
            relation, declared, now.whole, first.whole, first.whole.current.partitions
        ) %}
    {% endif %}
    {% do dms_snapshots.record_command(
        [dms_snapshots.published_record(declared, manifest.version, now.added)]
    ) %}
    {% do dms_snapshots.publish_newer({declared.label: manifest.version}) %}
    {% do return(dict(
        state, newest=manifest.version, version=manifest.version + 1, whole=now.whole, recorded=now.recorded
    )) %}
{% endmacro %}


{% macro _state_after(declared, state, manifest) %}
    {% set recorded, current, added = dms_snapshots.recorded_dates(declared), state.whole.current.version, [] %}
    {% set keeps_state = manifest.get("restored_version") == state.newest or manifest.action == "replay" %}
    {% if keeps_state and current in recorded %}
        {% do added.extend(recorded[current].dates | reject("in", state.whole.dates)) %}
        {% do recorded.update({
            manifest.version: {"dates": added, "indexed_from": none, "indexed_through": none}
        }) %}
    {% endif %}
    {% do return({
        "whole": dms_snapshots.versions_at(declared, manifest.version, recorded), "recorded": recorded, "added": added
    }) %}
{% endmacro %}
