{% macro _kept_versions(declared, state, days) %}
    {#- What readers see, what the next run starts from, and the versions of the last days (none: all). -#}
    {% if days is none %}
        {% do return(table_versions(declared)) %}
    {% endif %}
    {% set kept = [state.newest, state.head.version] %}
    {% if state.head.base_version is not none %}{% do kept.append(state.head.base_version) %}{% endif %}
    {% if declared.history %}{% do kept.extend(read_dates(declared, [state.newest])[state.newest].values()) %}{% endif %}
    {% set feed_start = feed_base(declared, dict(state, base=none, run_date=state.head.run_date)) if declared.change_feed else none %}
    {% if feed_start %}{% do kept.append(feed_start.version) %}{% endif %}
    {% for row in query_rows(
        "select version from " ~ ref("snapshot_versions") ~ " where source_name = " ~ sql_string(declared.source_name)
        ~ " and table_name = " ~ sql_string(declared.table_name) ~ " and finished_at >= " ~ run_started() ~ " - interval "
        ~ (days * 24) | int ~ " hours"
    ) %}
        {% do kept.append(row.version) %}
    {% endfor %}
    {% do return(kept | unique | sort) %}
{% endmacro %}
