{% macro publish_state(relation, declared, now, before, shown=none) %}
    {% set current = now.current %}
    {% do dms_snapshots.show_manifest(declared, now.newest) %}
    {% if load_relation(relation) is none %}
        {% do dms_snapshots.create_snapshot_table(relation, declared, current.root) %}
        {% set before, shown = none, none %}
    {% else %}
        {#- A run that died on the way to another layout has recorded it already. -#}
        {% set wanted = dms_snapshots.layout_partitions(declared, dated=true) | map(attribute="name") | list %}
        {% set names = dms_snapshots.described_table(relation).columns | map(attribute="name") %}
        {% if names | select("in", ["snapshot_date", "partition_date"]) | list != wanted %}
            {% do dms_snapshots.repartition(relation, declared, current.root) %}
            {% set before, shown = none, none %}
        {% endif %}
    {% endif %}
    {% do dms_snapshots.publish_columns(relation, declared) %}
    {% if declared.history %}
        {% do dms_snapshots._publish_dates(relation, declared, now, before) %}
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
        relation, declared, current.root, before.newest if before else none, now.newest, is_known=false
    ) %}
    {% do dms_snapshots.publish_current(relation, declared, current, shown) %}
{% endmacro %}


{% macro _publish_dates(relation, declared, now, before) %}
    {% set old = before.dates if before else {} %}
    {% set changed, gone = {}, [] %}
    {% for date, version in now.dates.items() if old.get(date) != version %}
        {% do changed.update({date: version}) %}
    {% endfor %}
    {% set partitions = dms_snapshots.partitions_of(declared, changed.values() | unique | list) %}
    {% for date, version in changed.items() %}
        {% do dms_snapshots.publish_partitions(
            relation, declared, {"snapshot_date": date}, partitions[version], none
        ) %}
    {% endfor %}
    {#- A date that was shown and never recorded goes, too. -#}
    {% for date in dms_snapshots.list_partitions(relation) | map(
        attribute="snapshot_date"
    ) | unique if date not in now.dates %}
        {% do gone.append({"snapshot_date": date}) %}
    {% endfor %}
    {% do dms_snapshots.drop_partitions(relation, gone) %}
    {#- A run of this date shows it again. -#}
    {% set running = dms_snapshots.run_date() if invocation_args_dict.which != "run-operation" else none %}
    {% set dates = gone | map(attribute="snapshot_date") | reject("in", old) | reject("equalto", running) | sort %}
    {% if before and dates %}
        {% do dms_snapshots.warn_of_table(
            declared,
            "a command died after it had shown " ~ dates | join(", ") ~ " and before it recorded that; "
            ~ ("it is" if dates | length == 1 else "they are") ~ " not shown any more",
            "To make it again: dbt run-operation backfill" ~ dms_snapshots.given_target() ~ " --args '{select: "
            ~ declared.label ~ ", from_date: " ~ dates | first ~ ", to_date: " ~ dates | last ~ ", dry_run: false}'"
        ) %}
    {% endif %}
{% endmacro %}


{% macro partitions_of(declared, versions) %}
    {% set found, wanted = {}, [] %}
    {% for version in versions %}{% do wanted.append([declared, version]) %}{% endfor %}
    {% for version, manifest in dms_snapshots.read_manifests(wanted).get(declared.label, {}).items() %}
        {% do found.update({version: manifest.partitions}) %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}
