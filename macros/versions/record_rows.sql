{% macro record_rows(name, records) %}
    {% if not records %}{% do return(none) %}{% endif %}
    {% set relation, root, run = dms_snapshots.named_relation(
        name
    ), dms_snapshots.log_location(name), dms_snapshots.run_name() %}
    {#- An operation records each version for itself. -#}
    {% if invocation_args_dict.which == "run-operation" %}
        {% set run = [run, records[0].source_name, records[0].table_name, records[0].version] | join("-") %}
    {% endif %}
    {% set partition = {"recorded_on": run_started_at.strftime("%Y-%m-%d"), "run": run} %}
    {% set location = root ~ "/" ~ partition.values() | join("/") %}
    {% set earlier = dms_snapshots.list_partitions(relation) %}
    {#- So many that reading them would cost a request for every run there ever was. -#}
    {% set folded = [] %}
    {% for one in earlier if earlier | length >= 24 and one != partition %}
        {% do folded.append(root ~ "/" ~ one.values() | join("/")) %}
    {% endfor %}
    {% do dms_snapshots.write_rows(name, location, records, folded) %}
    {% do dms_snapshots.add_partitions(relation, [{"values": partition, "location": location}]) %}
    {% if folded %}
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
