{% macro publish_feed(relation, declared, root, before, newest, is_known=true) %}
    {% set feed = dms_snapshots.relation_beside(relation, "changes") %}
    {#- A feed that is no longer asked for is not added to, but what was rolled back leaves it. -#}
    {% if not declared.change_feed and load_relation(feed) is none %}{% do return(none) %}{% endif %}
    {% set is_new = load_relation(feed) is none %}
    {% if is_new or not is_known or not before or before.fingerprint != newest.fingerprint %}
        {% do dms_snapshots.create_feed_table(feed, declared, root) %}
    {% endif %}
    {% set old, new = {}, {} %}
    {% for date in (before.feed_dates if before and not is_new else []) or [] %}
        {% do old.update({date.run_date: date.version}) %}
    {% endfor %}
    {#- What another command may have shown meanwhile; of a table made just now dbt may not know that it was there. -#}
    {% for date in (dms_snapshots.list_partitions(feed) if not before or is_new else []) %}
        {% do old.update({date[dms_snapshots.feed_partition().name]: none}) %}
    {% endfor %}
    {% for date in newest.feed_dates or [] %}{% do new.update({date.run_date: date.version}) %}{% endfor %}
    {% set differing = [] %}
    {% for date, version in new.items() if old.get(date) != version %}{% do differing.append(version) %}{% endfor %}
    {% set folders = dms_snapshots.feed_folders(declared, differing | reject("equalto", newest.version) | list) %}
    {% if newest.feed_location %}{% do folders.update({newest.version: newest.feed_location}) %}{% endif %}
    {% set gone, statements = [], [] %}
    {% for date, version in new.items() if version in differing %}
        {% set partition = {dms_snapshots.feed_partition().name: date} %}
        {% if version in folders %}
            {% do statements.append(dms_snapshots.set_partition_sql(feed, partition, folders[version])) %}
        {% else %}
            {% do gone.append(partition) %}
        {% endif %}
    {% endfor %}
    {% for date in old if date not in new %}
        {% do gone.append({dms_snapshots.feed_partition().name: date}) %}
    {% endfor %}
    {% if gone %}{% do statements.append(dms_snapshots.drop_partitions_sql(feed, gone)) %}{% endif %}
    {% do dms_snapshots.run_statements(statements) %}
{% endmacro %}


{% macro create_feed_table(feed, declared, root) %}
    {% set columns = dms_snapshots.feed_columns(declared) %}
    {% set about = "What each run date changed in " ~ declared.label ~ "; one row per key that differs." %}
    {% if load_relation(feed) is none %}
        {% do dms_snapshots.create_table(
            feed, columns + [dms_snapshots.feed_partition()], [dms_snapshots.feed_partition()], root ~ "/feed",
            "comment " ~ dms_snapshots.sql_string(about)
        ) %}
    {% endif %}
    {% do dms_snapshots.sync_columns(feed, columns, declared.label) %}
{% endmacro %}
