{% macro keeps_replaced(declared, plan) %}
    {#- Whether the rows that changes take out of the base are wanted: they are the feed's values before. -#}
    {% do return(declared.change_feed and plan.action == "merge" and not plan.applied and declared.primary_keys | length > 0) %}
{% endmacro %}
