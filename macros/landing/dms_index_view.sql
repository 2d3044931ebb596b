{% macro dms_index_view() %}
    {#- The pre-hook of dms_files: a view that indexes the landing area and plans all tables, when it is read. -#}
    {% do return(
        dms_snapshots.index_view_sql(dms_snapshots.landing_tables(dms_snapshots.active_tables())) if execute
    ) %}
{% endmacro %}
