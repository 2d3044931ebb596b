{% macro feed_dates(declared, whole, run_date, version) %}
    {% set newest = whole.newest or {} %}
    {% set fed = newest.get("feed_dates") %}
    {% if fed is none and not declared.change_feed %}{% do return(none) %}{% endif %}
    {% set dates = {} %}
    {#- Dates from before the feed was asked for are known where there is a history. -#}
    {% set others = newest.get("dates") if fed is none else fed %}
    {% for date in others or [] if date.run_date != run_date %}
        {% do dates.update({date.run_date: date.version}) %}
    {% endfor %}
    {% if declared.change_feed %}{% do dates.update({run_date: version}) %}{% endif %}
    {% do return(dms_snapshots.date_list(dates)) %}
{% endmacro %}


{% macro feed_base(declared, whole, run_date, base) %}
    {% if base or not whole.newest %}{% do return(base) %}{% endif %}
    {% set newest, last = whole.newest, namespace(date=none, version=none) %}
    {% for date in (newest.dates if newest.feed_dates is none else newest.feed_dates) if date.run_date < run_date %}
        {% if not last.date or date.run_date > last.date %}
            {% set last.date, last.version = date.run_date, date.version %}
        {% endif %}
    {% endfor %}
    {% if not last.date %}{% do return(none) %}{% endif %}
    {% do return(dms_snapshots.whole_manifest(declared, last.version)) %}
{% endmacro %}
