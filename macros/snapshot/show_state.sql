{% macro show_state(relation, declared, state, before, known=true) %}
    {#-
        Shows all that the newest version says, given the number of the version that readers were
        shown before: its dates, its current state and its feed. May be done again at any time.
    -#}
    {#- The feed has no layout, so it is not made anew. -#}
    {% set feed_before, feed_known = before, known %}
    {% if state.layout != layout(declared) %}
        {% do lay_out_anew(relation, declared, state) %}
        {% set before = none %}
        {% set known = true %}
    {% endif %}
    {% set old_head = head_version(declared, before) %}
    {% set new_head = head_version(declared, state.newest) %}
    {% if declared.history %}
        {% set dates = read_dates(declared, [before, state.newest] if before else [state.newest]) %}
        {% set old, new = dates.get(before, {}), dates[state.newest] %}
        {% set slices = read_slices(declared, (old.values() | list) + (new.values() | list)) %}
        {% for date, version in new.items() if old.get(date) != version %}
            {% set shown = (slices[old[date]] if date in old else []) if known else none %}
            {% do show_slices(relation, declared, {"snapshot_date": date}, slices[version], shown) %}
        {% endfor %}
        {% set gone = [] %}
        {% for date in old if date not in new %}{% do gone.append({"snapshot_date": date}) %}{% endfor %}
        {% do drop_partitions(relation, gone) %}
    {% else %}
        {% do show_slices(relation, declared, {}, new_head.slices, (old_head.slices if old_head else []) if known else none) %}
    {% endif %}
    {% set current = current_relation(relation) %}
    {% do create_current_table(current, declared, state.root) %}
    {% do show_slices(current, declared, {}, new_head.slices, (old_head.slices if old_head else []) if known else none) %}
    {% do show_feed(relation, declared, state.root, feed_before, state.newest, feed_known) %}
    {% do mark_published(relation, declared, state, state.newest) %}
{% endmacro %}
