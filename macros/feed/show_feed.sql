{% macro show_feed(relation, declared, root, before, newest, known=true) %}
    {#-
        Makes the feed consist of the dates that the newest version says, given the one shown before
        (none: nothing was); `known` as in show_state. Only what differs is touched, in
        statements that may be sent twice.
    -#}
    {% if not has_feed(relation, declared) %}{% do return(none) %}{% endif %}
    {% set feed = feed_relation(relation) %}
    {% do create_feed_table(feed, declared, root) %}
    {% set old, new = (before.feed_dates if before) or {}, newest.feed_dates or {} %}
    {% set differing = [] %}
    {% for date, version in new.items() if old.get(date) != version %}{% do differing.append(version) %}{% endfor %}
    {% set folders = feed_folders(declared, differing) %}
    {% set added, gone = [], [] %}
    {% for date, version in new.items() if version in differing %}
        {% set partition = {feed_partition().name: date} %}
        {% if version not in folders %}
            {% do gone.append(partition) %}
        {% elif known and date not in old %}
            {% do added.append({"values": partition, "location": folders[version]}) %}
        {% else %}
            {% do point_partition(feed, partition, folders[version]) %}
        {% endif %}
    {% endfor %}
    {% for date in old if date not in new %}{% do gone.append({feed_partition().name: date}) %}{% endfor %}
    {% do add_partitions(feed, added) %}
    {% do drop_partitions(feed, gone) %}
{% endmacro %}
