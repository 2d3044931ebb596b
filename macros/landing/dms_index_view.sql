{% macro dms_index_view() %}
    {% if not execute %}{% do return("") %}{% endif %}
    {% set tables = dms_snapshots.readable_tables(dms_snapshots.active_tables()) %}
    {% do return(dms_snapshots.index_view_sql(dms_snapshots.landing_tables(tables))) %}
{% endmacro %}
