{% macro _column_meta(column) %}
    {% do return(((column.get("config") or {}).get("meta") or column.get("meta") or {}).get("dms")) %}
{% endmacro %}
