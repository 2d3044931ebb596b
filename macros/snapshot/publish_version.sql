{% macro publish_version(relation, declared, version, plan) %}
    {#- By metadata alone. What readers see now is the head of the ledger; see finish_publishing. -#}
    {% set current = current_relation(relation) %}
    {% set shown = plan.head.slices if plan.head else [] %}
    {% set is_laid_out_anew = plan.layout != layout(declared) %}
    {% if is_laid_out_anew %}
        {% do lay_out_anew(relation, declared, plan) %}
        {% set shown = [] %}
    {% endif %}
    {% if plan.has_other_columns %}{% do show_columns(relation, declared) %}{% endif %}
    {% if declared.history %}
        {% set shown_of_date = shown if plan.head.run_date == version.run_date else [] %}
        {% do show_slices(relation, declared, {"snapshot_date": version.run_date}, version.slices, shown_of_date) %}
    {% elif version.slices != shown %}
        {% do show_slices(relation, declared, {}, version.slices, shown) %}
    {% endif %}
    {% if version.slices != shown or not plan.head or is_laid_out_anew %}
        {% do create_current_table(current, declared, plan.root) %}
        {% do show_slices(current, declared, {}, version.slices, shown) %}
    {% endif %}
    {#- A new date without changes has no partition in the feed, so there is nothing to show. -#}
    {% set adds_nothing = version.action == "carry" and plan.head.run_date != version.run_date and not plan.has_other_columns %}
    {% set is_feed_shown = adds_nothing and load_relation(feed_relation(relation)) is not none %}
    {% if has_feed(relation, declared) and not is_feed_shown %}
        {% set versions = read_versions(declared, [plan.newest, version.version] | select | list) %}
        {% do show_feed(relation, declared, plan.root, versions.get(plan.newest), versions[version.version]) %}
    {% endif %}
    {% do mark_published(relation, declared, plan, version.version) %}
{% endmacro %}
