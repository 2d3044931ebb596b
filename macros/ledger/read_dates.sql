{% macro read_dates(declared, versions, column="dates") %}
    {#- Of some versions the dates that readers see with each: by version, then date, the version shown. -#}
    {% set dates = {} %}
    {% for version in versions %}{% do dates.update({version: {}}) %}{% endfor %}
    {% if versions %}
        {% for row in query_rows(
            "select version, cast(run_date as string) as run_date, shown from (select version, inline(" ~ column ~ ") as (run_date, shown) from "
            ~ ref("snapshot_versions") ~ " where " ~ versions_filter(declared, versions) ~ ")"
        ) %}
            {% do dates[row.version].update({row.run_date: row.shown}) %}
        {% endfor %}
    {% endif %}
    {% do return(dates) %}
{% endmacro %}
