{% macro _missing_feed(table, newest, target) %}
    {#- The folders of changes that the feed has with a version and not with the newest one, as slices. -#}
    {% if not has_feed(table.relation, table.declared) %}{% do return([]) %}{% endif %}
    {% set there = (newest.feed_dates or {}).values() | list %}
    {% set needed = (target.feed_dates or {}).values() | reject("in", there) | list %}
    {% set parts = [] %}
    {% for folder in feed_folders(table.declared, needed).values() %}{% do parts.append({"location": folder, "rows": 1}) %}{% endfor %}
    {% do return(parts) %}
{% endmacro %}
