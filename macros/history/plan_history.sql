{% macro plan_history(relation, declared) %}
    {#-
        What this run has to do: write (runs were published since), restore (what was closed last
        is not published any more) or none. It goes on from the newest partition that a version on
        the present line has closed; what redone or rolled back runs closed is replaced.
    -#}
    {% set dates = closed_dates(relation) %}
    {% set versions = table_versions(declared) %}
    {% do check_published(declared, versions | last) %}
    {% if not versions or dates and closed_partition(relation, dates[0]).version == versions[-1] %}
        {% do return({"action": "none"}) %}
    {% endif %}
    {#- Redone or not, the two newest dates are nearly always enough. -#}
    {% set since = closed_partition(relation, dates[1]).version if dates | length > 1 else 1 %}
    {% set line = published_line(declared, versions[-1], since) %}
    {% set base = _history_base(relation, dates, line) %}
    {% if not base and since > 1 %}
        {% set line = published_line(declared, versions[-1]) %}
        {% set base = _history_base(relation, dates, line) %}
    {% endif %}
    {% set runs = history_runs(line, base) %}
    {% set stale = dates | select("gt", base.run_date if base else "") | list %}
    {% do return({
        "action": "write" if runs else ("restore" if stale and base else "none"),
        "base": base,
        "newest": versions[-1],
        "newest_closed": closed_partition(relation, dates[0]).closed if dates else none,
        "runs": runs,
        "stale": stale,
    }) %}
{% endmacro %}
