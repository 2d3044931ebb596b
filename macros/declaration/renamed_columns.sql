{% macro renamed_columns(declared) %}
    {#- The earlier names of columns, by their name: meta.dms.renamed_from of a column. -#}
    {% set renamed = {} %}
    {% for column in declared.columns %}
        {% set written = dms_snapshots._column_meta(column) %}
        {% if written is mapping and written.get("renamed_from") %}
            {% do renamed.update({column.name: written.renamed_from}) %}
        {% endif %}
    {% endfor %}
    {% do return(renamed) %}
{% endmacro %}
