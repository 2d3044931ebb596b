{% macro _missing_feed(declared, newest, target) %}
    {#- The folders of changes that the feed has with a version and not with the newest one, as slices. -#}
    {% set dates = read_dates(declared, [newest, target], "feed_dates") %}
    {% set needed = dates[target].values() | reject("in", dates[newest].values()) | list %}
    {% set parts = [] %}
    {% for folder in feed_folders(declared, needed).values() %}{% do parts.append({"location": folder, "rows": 1}) %}{% endfor %}
    {% do return(parts) %}
{% endmacro %}
