{% macro show_state(relation, declared, state, before, known=true) %}
    {#-
        Shows all that the newest version says, given the number of the version that readers were
        shown before: its dates, its current state and its feed. May be done again at any time.
        `known`: readers see all of that version, and `state.head` is its head.
    -#}
    {% set versions = read_versions(declared, [before, state.newest] | select | list) %}
    {% set newest = versions[state.newest] %}
    {% set head = head_of(declared, newest) %}
    {% set old_dates = versions[before].dates if before else {} %}
    {% set shown = (state.head.slices if before else []) if known else none %}
    {% if state.layout != layout(declared) %}
        {% do lay_out_anew(relation, declared, state) %}
        {% set old_dates, shown = {}, [] %}
    {% endif %}
    {% do show_columns(relation, declared) %}
    {% if declared.history %}
        {% set changed = {} %}
        {% for date, version in newest.dates.items() if old_dates.get(date) != version %}{% do changed.update({date: version}) %}{% endfor %}
        {% set replaced = {} %}
        {% for date in changed if date in old_dates and shown is not none %}{% do replaced.update({date: old_dates[date]}) %}{% endfor %}
        {% set slices = read_slices(declared, (changed.values() | list) + (replaced.values() | list)) %}
        {% for date, version in changed.items() %}
            {% set shown_of_date = none if shown is none else slices.get(replaced.get(date), []) %}
            {% do show_slices(relation, declared, {"snapshot_date": date}, slices[version], shown_of_date) %}
        {% endfor %}
        {% set gone = [] %}
        {% for date in old_dates if date not in newest.dates %}{% do gone.append({"snapshot_date": date}) %}{% endfor %}
        {% do drop_partitions(relation, gone) %}
    {% else %}
        {% do show_slices(relation, declared, {}, head.slices, shown) %}
    {% endif %}
    {% set current = current_relation(relation) %}
    {% do create_current_table(current, declared, state.root) %}
    {% do show_slices(current, declared, {}, head.slices, shown) %}
    {#- The feed has no layout, so it was not made anew. -#}
    {% do show_feed(relation, declared, state.root, versions.get(before), newest, known) %}
    {% do mark_published(relation, declared, state, state.newest) %}
{% endmacro %}
