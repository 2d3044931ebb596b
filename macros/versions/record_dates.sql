{% macro record_dates(records) %}
    {#-
        Records what readers see, for all tables of a command in one write: versions that are published whole, and
        the unchanged dates that show them. Each record: source_name, table_name, version, dates, indexed_from,
        indexed_through.
    -#}
    {% if not records %}{% do return(none) %}{% endif %}
    {% set relation, root, name = named_relation("snapshot_dates"), log_location("snapshot_dates"), run_version() %}
    {#- An operation records each version for itself. -#}
    {% if invocation_args_dict.which == "run-operation" %}
        {% set name = [name, records[0].source_name, records[0].table_name, records[0].version] | join("-") %}
    {% endif %}
    {% set partition = {"recorded_on": run_started_at.strftime("%Y-%m-%d"), "run": name} %}
    {% set location = root ~ "/" ~ partition.values() | join("/") %}
    {% set earlier = list_partitions(relation) %}
    {#- So many that reading them would cost a request for every run there ever was. -#}
    {% set folded = [] %}
    {% for one in earlier if earlier | length >= 24 and one != partition %}
        {% do folded.append(root ~ "/" ~ one.values() | join("/")) %}
    {% endfor %}
    {% do write_rows("snapshot_dates", location, records, folded) %}
    {% do add_partitions(relation, [{"values": partition, "location": location}]) %}
    {% if folded %}{% do drop_partitions(relation, earlier | reject("equalto", partition) | list) %}{% endif %}
{% endmacro %}


{% macro published_record(declared, version, dates=[], indexed_from=none, indexed_through=none) %}
    {% do return(dict(
        table_partition(declared),
        version=version,
        dates=dates,
        indexed_from=indexed_from,
        indexed_through=indexed_through
    )) %}
{% endmacro %}
