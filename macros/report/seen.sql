{% macro seen(until=none, limit=none) %}
    {% if not dms_snapshots.log_exists("snapshot_versions") %}{% do return({}) %}{% endif %}
    {% do return(dms_snapshots.ask_versions("seen", {"until": until, "limit": limit})) %}
{% endmacro %}


{% macro print_seen(until=none) %}
    {% do print(tojson(dms_snapshots.seen(until))) %}
{% endmacro %}
