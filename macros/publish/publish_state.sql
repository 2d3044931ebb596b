{% macro publish_state(relation, declared, state, shown=none) %}
    {% if dms_snapshots._made_table(relation, declared, state.current.root) %}
        {% set shown, state = none, dms_snapshots.version_state(
            declared, {"number": state.newest.version, "publishes": true}
        ) %}
    {% endif %}
    {% set current, before = state.current, state.before %}
    {#- What was published last, as it is declared now, has had all columns. -#}
    {% if not before or before.current.fingerprint != dms_snapshots.fingerprint(
        dms_snapshots.declared_facts(declared)
    ) %}
        {% do dms_snapshots.publish_columns(relation, declared) %}
    {% endif %}
    {% if declared.history %}
        {% do dms_snapshots._publish_dates(relation, declared, state) %}
    {% else %}
        {% do dms_snapshots.publish_partitions(relation, declared, {}, current.partitions, shown) %}
    {% endif %}
    {#- What staging was shown last, or the dates that it has now, of whatever folders. -#}
    {% set staged = before.current.staged | list if before else [] %}
    {% for partition in (
        dms_snapshots.list_partitions(dms_snapshots.staging_relation(declared)) if not before else []
    ) %}
        {% do staged.append({"run_date": partition._dms_run_date, "rejects": "unknown"}) %}
    {% endfor %}
    {% do dms_snapshots.publish_staged(declared, current.staged, staged) %}
    {% do dms_snapshots.publish_feed(
        relation, declared, current.root, before.newest if before else none, state.newest, is_known=false
    ) %}
    {% do dms_snapshots.publish_current(relation, declared, current, shown) %}
{% endmacro %}


{% macro _made_table(relation, declared, root) %}
    {% if load_relation(relation) is none %}
        {% do dms_snapshots.create_snapshot_table(relation, declared, root) %}
        {% do return(true) %}
    {% endif %}
    {#- A run that died on the way to another layout has recorded it already. -#}
    {% set wanted = dms_snapshots.layout_partitions(declared, dated=true) | map(attribute="name") | list %}
    {% set names = dms_snapshots.described_table(relation).columns | map(attribute="name") %}
    {% set is_other = names | select("in", ["snapshot_date", "partition_date"]) | list != wanted %}
    {% if is_other %}{% do dms_snapshots.repartition(relation, declared, root) %}{% endif %}
    {% do return(is_other) %}
{% endmacro %}


{% macro _publish_dates(relation, declared, state) %}
    {% set old, there = state.before.dates if state.before else {}, {} %}
    {% for values in dms_snapshots.list_partitions(relation) %}
        {% do there.update({values.snapshot_date: none}) %}
    {% endfor %}
    {% set added, gone = [], [] %}
    {% for date, version in state.dates.items() if old.get(date) != version %}
        {% set values, partitions = {"snapshot_date": date}, state.partitions[version | string] %}
        {% if date in there %}
            {% do dms_snapshots.publish_partitions(relation, declared, values, partitions, none) %}
        {% else %}
            {% do added.extend(dms_snapshots.shown_partitions(partitions, values)) %}
        {% endif %}
    {% endfor %}
    {% do dms_snapshots.add_partitions(relation, added) %}
    {#- A date that was shown and never recorded goes, too. -#}
    {% for date in there if date not in state.dates %}{% do gone.append({"snapshot_date": date}) %}{% endfor %}
    {% do dms_snapshots.drop_partitions(relation, gone) %}
    {#- A run of this date shows it again. -#}
    {% if state.given_up_dates %}
        {% do dms_snapshots.warn_of_table(
            declared,
            "the versions that " ~ state.given_up_dates | join(", ") ~ " showed were given up; readers do not see them",
            "To make them again: " ~ dms_snapshots.operation_command("backfill", {
                "select": declared.label, "from_date": state.given_up_dates | first,
                "to_date": state.given_up_dates | last, "dry_run": "false"
            })
        ) %}
    {% endif %}
    {% set running = dms_snapshots.run_date() if invocation_args_dict.which != "run-operation" else none %}
    {% set dates = gone | map(attribute="snapshot_date") | reject("in", old) | reject("equalto", running) | sort %}
    {% if state.before and dates %}
        {% do dms_snapshots.warn_of_table(
            declared,
            "a command died after it had shown " ~ dates | join(", ") ~ " and before it recorded that; "
            ~ ("it is" if dates | length == 1 else "they are") ~ " not shown any more",
            "To make it again: " ~ (
                dms_snapshots.operation_command("backfill", {
                    "select": declared.label, "from_date": dates | first, "to_date": dates | last, "dry_run": "false"
                })
                if dates | last < state.dates.keys() | max
                else dms_snapshots.run_command(declared.table_name, run_date=dates | last)
            )
        ) %}
    {% endif %}
{% endmacro %}
