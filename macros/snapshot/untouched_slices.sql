{% macro untouched_slices(declared, plan, arriving, existing) %}
    {#- The slices of the base that no changed key was in or comes to: their files serve again. -#}
    {% if plan.action != "merge" or not declared.partition_date %}
        {% do return([]) %}
    {% endif %}
    {% set touched = [] %}
    {% for count in arriving if count.live_keys %}{% do touched.append(count.slice) %}{% endfor %}
    {% for count in existing if count.rows_updated or count.rows_deleted %}{% do touched.append(count.slice) %}{% endfor %}
    {% do return(plan.base.slices | rejectattr("slice", "in", touched) | list) %}
{% endmacro %}
