{% macro renamed_columns(declared) %}
    {% set renamed = {} %}
    {% for column in declared.columns %}
        {% set written = dms_snapshots._column_meta(column) %}
        {% if written is mapping and written.get("renamed_from") %}
            {% do renamed.update({column.name: written.renamed_from}) %}
        {% endif %}
    {% endfor %}
    {% do return(renamed) %}
{% endmacro %}
