{% macro record_command(published, passed=[]) %}
    {% if not published and not passed %}{% do return(none) %}{% endif %}
    {% set relation, root, run = dms_snapshots.named_relation(
        "snapshot_dates"
    ), dms_snapshots.log_location("snapshot_dates"), dms_snapshots.run_name() %}
    {#- An operation records each version for itself. -#}
    {% if invocation_args_dict.which == "run-operation" %}
        {% set run = [run, published[0].source_name, published[0].table_name, published[0].version] | join("-") %}
    {% endif %}
    {% set partition = {"recorded_on": run_started_at.strftime("%Y-%m-%d"), "run": run} %}
    {% set location = root ~ "/" ~ partition.values() | join("/") %}
    {% set earlier = dms_snapshots.list_partitions(relation) if published else [] %}
    {#- So many that reading them would cost a request for every run there ever was. -#}
    {% set folds = earlier | length >= 24 %}
    {% do dms_snapshots.ask_versions("record", {
        "run": run, "published": published, "passed": passed, "rows": location if published else none, "folds": folds
    }) %}
    {% if published %}
        {% do dms_snapshots.add_partitions(relation, [{"values": partition, "location": location}]) %}
    {% endif %}
    {% if folds %}
        {% do dms_snapshots.drop_partitions(relation, earlier | reject("equalto", partition) | list) %}
    {% endif %}
{% endmacro %}


{% macro published_record(declared, version, dates=[], indexed_from=none, indexed_through=none) %}
    {% do return(dict(
        dms_snapshots.table_partition(declared),
        version=version,
        dates=dates,
        indexed_from=indexed_from,
        indexed_through=indexed_through
    )) %}
{% endmacro %}
