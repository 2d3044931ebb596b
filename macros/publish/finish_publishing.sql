{% macro finish_publishing(relation, declared, plan, whole) %}
    {#- What a command committed and did not publish whole, because it died, is published here. -#}
    {% if not plan.newest or (plan.is_published and load_relation(relation) is not none) %}
        {% do return(none) %}
    {% endif %}
    {% set before = none %}
    {% if plan.published_before %}
        {% set before = dms_snapshots.versions_at(
            declared, plan.published_before, dms_snapshots.recorded_dates(declared)
        ) %}
    {% endif %}
    {% do dms_snapshots.publish_state(relation, declared, whole, before) %}
    {% do log(declared.label ~ ": finished publishing version " ~ plan.newest, info=true) %}
{% endmacro %}

