{% macro _kept_versions(declared, state, days) %}
    {#-
        What readers see, what the next run starts from, and what readers saw in the last days (none: all):
        a version counts as seen until the one after it was finished. With a version are kept those of the
        dates that it shows, so that it can be had again.
    -#}
    {% if days is none %}{% do return(state.entries.keys() | list) %}{% endif %}
    {% set whole, kept = state.whole, {} %}
    {% for number in [state.newest, whole.current.version, whole.current.base_version] if number is not none %}{% do kept.update({number: true}) %}{% endfor %}
    {% if declared.change_feed %}
        {% set feed_start = feed_base(declared, whole, whole.current.run_date, none) %}
        {% if feed_start %}{% do kept.update({feed_start.version: true}) %}{% endif %}
    {% endif %}
    {% set rows = query_rows(
        "select version, transform(coalesce(dates, array()), shown -> shown.version) as shown, unix_micros(finished_at) as finished from "
        ~ ref("snapshot_versions") ~ " where " ~ table_filter(declared)
    ) | sort(attribute="version") %}
    {% set since = (run_started_at.timestamp() - days * 86400) * 1000000 %}
    {% for row in rows %}
        {% if not loop.last and rows[loop.index].finished >= since %}{% do kept.update({row.version: true}) %}{% endif %}
    {% endfor %}
    {% for row in rows if row.version in kept %}{% for number in row.shown %}{% do kept.update({number: true}) %}{% endfor %}{% endfor %}
    {% for number in whole.dates.values() %}{% do kept.update({number: true}) %}{% endfor %}
    {% do return(kept.keys() | sort) %}
{% endmacro %}
