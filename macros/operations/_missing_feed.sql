{% macro _missing_feed(declared, newest, target) %}
    {#- The folders of changes that the feed has with a version and not with the newest one, as slices. -#}
    {% set there = (newest.feed_dates or {}).values() | list %}
    {% set needed = (target.feed_dates or {}).values() | reject("in", there) | list %}
    {% set parts = [] %}
    {% for folder in feed_folders(declared, needed).values() %}{% do parts.append({"location": folder, "rows": 1}) %}{% endfor %}
    {% do return(parts) %}
{% endmacro %}
