{% macro untouched_slices(declared, plan, counts) %}
    {#- The slices of the base that no changed key was in or comes to: their files serve again. -#}
    {% if plan.action != "merge" or not declared.partition_date %}
        {% do return([]) %}
    {% endif %}
    {% set touched = [] %}
    {% for count in counts if count.live_keys or count.rows_updated or count.rows_deleted %}
        {% do touched.append(count.slice) %}
    {% endfor %}
    {% do return(plan.base.slices | rejectattr("slice", "in", touched) | list) %}
{% endmacro %}
