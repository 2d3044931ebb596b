{% macro table_state(declared) %}
    {% set newest = dms_snapshots.newest_numbers([declared]).get(declared.label) %}
    {% if not newest %}{% do return({}) %}{% endif %}
    {% set recorded, entries = dms_snapshots.recorded_dates(declared), {} %}
    {% for entry in dms_snapshots.read_past_versions([declared])[declared.label] | sort(attribute="version") %}
        {% do entries.update({entry.version: entry}) %}
    {% endfor %}
    {% do return({
        "newest": newest,
        "version": newest + 1,
        "whole": dms_snapshots.versions_at(declared, newest, recorded),
        "entries": entries,
        "recorded": recorded,
        "published_before": recorded.keys() | select("lt", newest) | sort | last | default(none),
    }) %}
{% endmacro %}


{% macro versions_at(declared, number, recorded={}) %}
    {% set newest = dms_snapshots.whole_manifest(declared, number) %}
    {% set current = newest %}
    {% if newest.current_version != number %}
        {% set current = dms_snapshots.whole_manifest(declared, newest.current_version) %}
    {% endif %}
    {% set seen = recorded.get(current.version) %}
    {#- Its unchanged dates have looked at more of the index; what they warned of is not reported again. -#}
    {% if seen and seen.indexed_through %}
        {% set current = dict(
            current,
            indexed_from=seen.indexed_from or current.indexed_from,
            indexed_through=seen.indexed_through,
        ) %}
    {% endif %}
    {% do return({
        "newest": newest, "current": current, "base": none,
        "dates": dms_snapshots.shown_dates(
            newest, current, recorded[current.version].dates if current.version in recorded else []
        ),
    }) %}
{% endmacro %}
