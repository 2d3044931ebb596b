{% macro commit_and_publish(relation, declared, plan, manifest) %}
    {% set state = dms_snapshots.commit_version(declared, manifest, publishes=true) %}
    {% do return(dms_snapshots.publish_and_record(
        relation, declared, manifest.version, state, plan.state.current.partitions
    )) %}
{% endmacro %}


{% macro publish_and_record(relation, declared, number, state, shown=none) %}
    {% if state.error %}{% do dms_snapshots.fail_with([state.error]) %}{% endif %}
    {% do dms_snapshots.publish_state(relation, declared, state, shown) %}
    {% set answer = dms_snapshots.ask_versions("published", dict(
        dms_snapshots.table_partition(declared),
        run=dms_snapshots.run_name(), number=number, dates=state.dates.keys() | list + state.given_up_dates
    ))[declared.label] %}
    {% if answer.error %}{% do dms_snapshots.fail_with([answer.error]) %}{% endif %}
    {% if answer.state %}
        {#- A run has recorded an unchanged date meanwhile; one that does so from here on sees the new version. -#}
        {% do return(dms_snapshots.publish_and_record(relation, declared, number, answer.state)) %}
    {% endif %}
    {% if answer.newest > number %}{% do dms_snapshots.publish_newer({declared.label: number}) %}{% endif %}
    {% do return(answer.newest) %}
{% endmacro %}
