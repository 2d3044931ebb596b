{% macro dms_index_view() %}
    {% do return(
        dms_snapshots.index_view_sql(dms_snapshots.landing_tables(dms_snapshots.active_tables())) if execute
    ) %}
{% endmacro %}
