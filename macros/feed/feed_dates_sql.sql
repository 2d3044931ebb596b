{% macro feed_dates_sql(declared, version, newest) %}
    {#-
        The dates of the feed with a version, given the row of the newest one before it: those of that
        one, and its own. A version that only adds an earlier date changes nothing: what it tells is
        in the changes of the next date.
    -#}
    {% if version.head_version is defined and version.head_version != version.version %}
        {%- do return(newest ~ ".feed_dates") -%}
    {% endif %}
    {% set others = "filter(" ~ ("coalesce(" ~ newest ~ ".feed_dates, " ~ newest ~ ".dates, array())" if declared.change_feed else newest ~ ".feed_dates")
        ~ ", shown -> shown.run_date <> date'" ~ version.run_date ~ "')" %}
    {%- do return(
        "array_sort(concat(" ~ others ~ ", array(struct(date'" ~ version.run_date ~ "' as run_date, " ~ version.version ~ " as version))))"
        if declared.change_feed else others
    ) -%}
{% endmacro %}
