{% macro dms_index_view() %}
    {#- The pre-hook of dms_files: a view that indexes the landing area and plans all tables, when it is read. -#}
    {% do return(index_view_sql(landing_tables(active_tables())) if execute) %}
{% endmacro %}
