{% macro commit_and_publish(relation, declared, plan, manifest) %}
    {% do dms_snapshots.commit_version(declared, manifest) %}
    {% do dms_snapshots.publish_and_record(relation, declared, manifest.version, plan.state.current.partitions) %}
{% endmacro %}


{% macro publish_and_record(relation, declared, number, shown=none) %}
    {% set wanted = {"number": number, "publishes": true, "since_last": true} %}
    {% set first = dms_snapshots.version_state(declared, wanted) %}
    {% do dms_snapshots.publish_state(relation, declared, first, shown) %}
    {#- A run that has recorded an unchanged date meanwhile; one that does so from here on sees the new version. -#}
    {% set now = dms_snapshots.version_state(declared, wanted) %}
    {% if now.dates != first.dates %}
        {% do dms_snapshots.publish_state(relation, declared, dms_snapshots.version_state(
            declared, dict(wanted, since_last=false)
        )) %}
    {% endif %}
    {% do dms_snapshots.record_command([dict(now.record, **dms_snapshots.table_partition(declared))]) %}
    {% do dms_snapshots.publish_newer({declared.label: number}) %}
{% endmacro %}
