{% macro _kept_versions(declared, state, days) %}
    {#-
        What readers see, what the next run starts from, and what readers saw in the last days (none: all):
        a version counts as seen until the one after it was finished. With a version are kept those of the
        dates that it shows, so that it can be had again.
    -#}
    {% if days is none %}
        {% do return(table_versions(declared)) %}
    {% endif %}
    {% set kept = [state.newest, state.head.version, state.head.base_version] %}
    {% set feed_start = feed_base(declared, dict(state, base=none, run_date=state.head.run_date)) if declared.change_feed else none %}
    {% if feed_start %}{% do kept.append(feed_start.version) %}{% endif %}
    {% set kept_sql %}
        with entries as (
            select version, dates, lead(finished_at) over (order by version) as seen_until
            from {{ ref("snapshot_versions") }}
            where {{ table_filter(declared) }}
        ),
        kept as (
            select version, dates
            from entries
            where
                version in ({{ kept | reject("none") | unique | join(", ") }})
                or seen_until >= {{ run_started() }} - interval {{ (days * 86400) | int }} seconds
        )
        select version from kept
        union
        select shown.version from (select explode(dates) as shown from kept)
    {% endset %}
    {% do return(query_rows(kept_sql) | map(attribute="version") | sort) %}
{% endmacro %}
