{% macro recorded_dates(declared) %}
    {% do return(dms_snapshots.versions_of(declared, recorded=true).recorded) %}
{% endmacro %}
