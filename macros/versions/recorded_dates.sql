{% macro recorded_dates(declared) %}
    {#- The versions of a table that were published whole, each with the unchanged dates that show it. -#}
    {% set dates = {} %}
    {% for row in (query_rows(
        "select version, transform(dates, one -> cast(one as string)) as dates, recorded_at"
        ~ " from " ~ named_relation("snapshot_dates") ~ " where " ~ table_filter(declared)
    ) if log_exists("snapshot_dates") else []) | sort(attribute="recorded_at") %}
        {% do dates.update({row.version: (dates.get(row.version, []) + (row.dates or [])) | unique | sort}) %}
    {% endfor %}
    {% do return(dates) %}
{% endmacro %}
