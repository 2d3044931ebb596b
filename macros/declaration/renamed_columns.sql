{% macro renamed_columns(declared) %}
    {#- The earlier names of columns, by their name: meta.dms.renamed_from of a column. -#}
    {% set renamed = {} %}
    {% for column in declared.columns %}
        {% set meta = (column.get("config") or {}).get("meta") or column.get("meta") or {} %}
        {% if meta.get("dms") is mapping and meta.dms.get("renamed_from") %}
            {% do renamed.update({column.name: meta.dms.renamed_from}) %}
        {% endif %}
    {% endfor %}
    {% do return(renamed) %}
{% endmacro %}
