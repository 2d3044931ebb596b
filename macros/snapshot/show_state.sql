{% macro show_state(relation, declared, state, before, known=true) %}
    {#-
        Shows all that the newest version says, given the number of the version that readers were
        shown before: its dates, its current state and its feed. May be done again at any time.
        `known`: readers see all of that version, whose head is still that of the state.
    -#}
    {% set versions = read_versions(declared, [before, state.newest] | select | list) %}
    {% set newest, old = versions[state.newest], versions[before].dates if before else {} %}
    {% set shown = (state.head.slices if before else []) if known else none %}
    {% if state.layout != layout(declared) %}
        {% do lay_out_anew(relation, declared, state) %}
        {% set old, shown = {}, [] %}
    {% endif %}
    {% set head = newest if newest.head_version == newest.version else read_version(declared, newest.head_version) %}
    {% if declared.history %}
        {% set differing = [] %}
        {% for date, version in newest.dates.items() if old.get(date) != version %}
            {% do differing.extend([version, old[date]] if date in old else [version]) %}
        {% endfor %}
        {% set of_versions = read_slices(declared, differing) %}
        {% for date, version in newest.dates.items() if old.get(date) != version %}
            {% set shown_of_date = (of_versions[old[date]] if date in old else []) if shown is not none else none %}
            {% do show_slices(relation, declared, {"snapshot_date": date}, of_versions[version], shown_of_date) %}
        {% endfor %}
        {% set gone = [] %}
        {% for date in old if date not in newest.dates %}{% do gone.append({"snapshot_date": date}) %}{% endfor %}
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
