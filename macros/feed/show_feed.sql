{% macro show_feed(relation, declared, root, before, newest, known=true) %}
    {#-
        Makes the feed consist of the dates that the newest version says, given the version shown
        before (none: nothing was); `known` as in show_state. Only what differs is touched, in
        statements that may be sent twice.
    -#}
    {% set feed = feed_relation(relation) %}
    {#- A feed that is no longer asked for is not added to, but what was rolled back leaves it. -#}
    {% if not declared.change_feed and load_relation(feed) is none %}
        {% do return(none) %}
    {% endif %}
    {% do create_feed_table(feed, declared, root) %}
    {% set dates = read_dates(declared, [before, newest] if before else [newest], "feed_dates") %}
    {% set old, new = dates.get(before, {}), dates[newest] %}
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
