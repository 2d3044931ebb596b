{% macro feed_base(declared, plan) %}
    {#-
        The version that the changes of a date start from: what it is built on or, if that is nothing
        because all is made anew, the state of the newest date before it; none at the very first.
    -#}
    {% if plan.base %}
        {% do return(plan.base) %}
    {% endif %}
    {% if not plan.newest %}
        {% do return(none) %}
    {% endif %}
    {#- Dates from before the feed was asked for are known where there is a history. -#}
    {% set newest = read_version(declared, plan.newest) %}
    {% set dates = newest.dates if newest.feed_dates is none else newest.feed_dates %}
    {% set date = dates.keys() | select("lt", plan.run_date) | sort | last %}
    {% do return(read_version(declared, dates[date]) if date else none) %}
{% endmacro %}
