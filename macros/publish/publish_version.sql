{% macro publish_version(relation, declared, whole, version) %}
    {% set before = whole.current %}
    {% set shown = before.partitions if before else [] %}
    {% set is_repartitioned = before and before.layout != version.layout %}
    {% if is_repartitioned %}
        {% do dms_snapshots.repartition(relation, declared, version.root) %}
        {% set shown = [] %}
    {% endif %}
    {% if before and (before.fingerprint != version.fingerprint) %}
        {% do dms_snapshots.publish_columns(relation, declared) %}
    {% endif %}
    {% if declared.history %}
        {#-
            The date may show another version than the current one; and one that is not recorded may be shown all
            the same, because a command died before it had recorded it.
        -#}
        {% if before and declared.partition_date and not is_repartitioned %}
            {% do dms_snapshots.complete_dates(
                relation, declared, whole.dates.keys() | list, version.run_date, before.partitions
            ) %}
        {% endif %}
        {% set unknown = none if before and declared.partition_date else [] %}
        {% set is_known = before and whole.dates.get(version.run_date) == before.version %}
        {% set shown_of_date = shown if is_known else unknown %}
        {% do dms_snapshots.publish_partitions(
            relation, declared, {"snapshot_date": version.run_date}, version.partitions, shown_of_date
        ) %}
    {% elif version.partitions != shown %}
        {% do dms_snapshots.publish_partitions(relation, declared, {}, version.partitions, shown) %}
    {% endif %}
    {% do dms_snapshots.publish_staged(declared, version.staged, before.staged if before else []) %}
    {% do dms_snapshots.publish_feed(relation, declared, version.root, whole.newest, version) %}
    {% if version.partitions != shown or not before or is_repartitioned %}
        {% do dms_snapshots.publish_current(relation, declared, version, shown) %}
    {% endif %}
{% endmacro %}


{% macro publish_current(relation, declared, version, shown) %}
    {% set current = dms_snapshots.relation_beside(relation, "current") %}
    {% if load_relation(current) is none %}
        {% set partitions = dms_snapshots.layout_partitions(declared, dated=false) %}
        {% do dms_snapshots.create_table(
            current, declared.columns + partitions, partitions, version.root ~ "/current"
        ) %}
        {#- It may be there all the same: dbt learns of a table that a model makes beside its own when that ends. -#}
        {% set shown = none %}
    {% endif %}
    {% do dms_snapshots.publish_partitions(current, declared, {}, version.partitions, shown) %}
{% endmacro %}


{% macro publish_columns(relation, declared) %}
    {% for one in [
        dms_snapshots.staging_relation(declared), relation, dms_snapshots.relation_beside(relation, "current")
    ]
        if load_relation(one) is not none %}
        {% set own = dms_snapshots.staging_columns() if one == dms_snapshots.staging_relation(declared) else [] %}
        {% do dms_snapshots.sync_columns(one, declared.columns + own, declared.label) %}
    {% endfor %}
{% endmacro %}


{% macro publish_staged(declared, staged, before) %}
    {% set known, kept = {}, staged | map(attribute="run_date") | list %}
    {% for one in before %}{% do known.update({one.run_date: one}) %}{% endfor %}
    {% set relation, of_table = dms_snapshots.staging_relation(declared), dms_snapshots.table_partition(declared) %}
    {% set reports = dms_snapshots.named_relation("dms_staged_files") %}
    {% set rejects, statements, changed = dms_snapshots.named_relation("dms_rejects"), [], [] %}
    {% for one in staged if one != known.get(one.run_date) %}{% do changed.append(one) %}{% endfor %}
    {% set wanted = changed | map(attribute="rejects") | select | list %}
    {% set missing = dms_snapshots.missing_folders(wanted) if wanted else [] %}
    {% for one in changed %}
        {% set of_date = dict(of_table, run_date=one.run_date) %}
        {% do statements.append(dms_snapshots.set_partition_sql(reports, of_date, one.report)) %}
        {% if one.rejects and one.rejects not in missing %}
            {% do statements.append(dms_snapshots.set_partition_sql(rejects, of_date, one.rejects)) %}
        {% elif one.rejects or known.get(one.run_date, {}).rejects %}
            {% do statements.append(dms_snapshots.drop_partitions_sql(rejects, [of_date])) %}
        {% endif %}
        {% do statements.append(
            dms_snapshots.set_partition_sql(relation, {"_dms_run_date": one.run_date}, one.folder)
        ) %}
    {% endfor %}
    {% set gone, gone_of_table = [], [] %}
    {% for date in known if date not in kept %}
        {% do gone.append({"_dms_run_date": date}) %}
        {% do gone_of_table.append(dict(of_table, run_date=date)) %}
    {% endfor %}
    {% if gone %}
        {% do statements.append(dms_snapshots.drop_partitions_sql(relation, gone)) %}
        {% do statements.append(dms_snapshots.drop_partitions_sql(reports, gone_of_table)) %}
        {% if declared.on_bad_row == "quarantine" %}
            {% do statements.append(dms_snapshots.drop_partitions_sql(rejects, gone_of_table)) %}
        {% endif %}
    {% endif %}
    {% do dms_snapshots.run_statements(statements) %}
{% endmacro %}


{% macro repartition(relation, declared, root) %}
    {% set earlier = dms_snapshots.earlier_columns(declared, relation) %}
    {% do adapter.drop_relation(dms_snapshots.relation_beside(relation, "current")) %}
    {% do adapter.drop_relation(relation) %}
    {% do dms_snapshots.create_snapshot_table(relation, declared, root) %}
    {#- Also the names of which the files of earlier versions have values. -#}
    {% if earlier %}
        {% do run_query(
            "alter table " ~ relation ~ " add columns (" ~ dms_snapshots.column_definitions(earlier) ~ ")"
        ) %}
    {% endif %}
{% endmacro %}
