{% macro _column_meta(column) %}
    {#- What a column declares of itself, as it is written; dbt has two places for meta. -#}
    {% do return(((column.get("config") or {}).get("meta") or column.get("meta") or {}).get("dms")) %}
{% endmacro %}
