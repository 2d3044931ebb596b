{% macro recorded_dates(declared) %}
    {% set recorded = {} %}
    {% for row in (dms_snapshots.query_rows(
        "select version, transform(dates, one -> cast(one as string)) as dates, recorded_at, "
        ~ dms_snapshots.run_name_sql("indexed_from") ~ ", " ~ dms_snapshots.run_name_sql("indexed_through")
        ~ ", coalesce(cast(array_max(dates) as string), '') as last_date"
        ~ " from " ~ dms_snapshots.named_relation("snapshot_dates") ~ " where " ~ dms_snapshots.table_filter(declared)
    ) if dms_snapshots.log_exists("snapshot_dates") else []) | sort(attribute="last_date,recorded_at") %}
        {% set of_version = recorded.setdefault(
            row.version, {"dates": [], "indexed_from": none, "indexed_through": none}
        ) %}
        {% do of_version.update({"dates": (of_version.dates + (row.dates or [])) | unique | sort}) %}
        {% if row.indexed_through %}
            {% do of_version.update({"indexed_from": row.indexed_from, "indexed_through": row.indexed_through}) %}
        {% endif %}
    {% endfor %}
    {% do return(recorded) %}
{% endmacro %}
