{% macro merge_state(changes_sql, relation, declared, plan, latest, arriving, location, broadcast) %}
    {#- Writes the slices that the changes touch, by SQL; returns all slices and what was there. -#}
    {% set view = relation.identifier ~ "__before" %}
    {% set base_slices = plan.base.slices if plan.action == "merge" else [] %}
    {% do create_before_view(view, changes_sql, declared, plan, base_slices) %}
    {% set existing = query_rows(existing_counts_sql(sql_name(view), latest, declared)) %}

    {% set untouched = untouched_slices(declared, plan, arriving, existing) %}
    {% if untouched %}
        {% do create_before_view(view, changes_sql, declared, plan, base_slices | reject("in", untouched) | list) %}
    {% endif %}
    {% set parted = keeps_replaced(declared, plan) %}
    {% set merged = merge_sql(sql_name(view), latest, declared, broadcast, parted) %}
    {% set written = write_slices(relation, declared, location, merged, rebalance=plan.action == "build", parted=parted) %}
    {% do return({"slices": untouched + written.slices, "replaced": written.replaced, "existing": existing}) %}
{% endmacro %}
